/** Damages records of the answers to these URLs, and of feeds, as `chances` (0 to 1, one each) says; returns how many. */
export async function damageRecords(urls: readonly string[], chances: readonly number[]): Promise<number> {
  const database = await openAnswers();
  if (database === null) return 0;
  const stores = ['responses', 'bodies', 'patches', 'loops', 'feeds', 'meta'];
  const transaction = database.transaction(stores, 'readwrite');
  let damaged = 0;
  for (const [nth, chance] of chances.entries()) {
    const url = urls[nth];
    if (url === undefined) damaged += await damageAny(transaction, nth % 2 === 0 ? 'loops' : 'feeds', chance);
    else damaged += await damageAnswer(transaction, new URL(url, location.href).href, chance);
  }
  await new Promise((resolve) => transaction.addEventListener('complete', resolve));
  database.close();
  return damaged;
}

/** The digests of all stored answers. */
export async function storedDigests(): Promise<string[]> {
  const database = await openAnswers();
  if (database === null) return [];
  const records = await answerTo(database.transaction('responses').objectStore('responses').getAll());
  database.close();
  return records.map(({ digest }) => digest);
}

/** The partition's database, not the one that says who is signed in; null where there is none. */
async function openAnswers(): Promise<IDBDatabase | null> {
  const name = (await indexedDB.databases()).find((each) => each.name?.includes('#'))?.name;
  return name === undefined ? null : answerTo(indexedDB.open(name));
}

/** Damages the record of an answer, its snapshot, or a byte delta after that. */
async function damageAnswer(transaction: IDBTransaction, url: string, chance: number): Promise<number> {
  const key = `${url} `;
  const store = (['responses', 'bodies', 'patches'] as const)[Math.floor(chance * 3)] ?? 'responses';
  const place = transaction.objectStore(store);
  const range = store === 'patches' ? IDBKeyRange.bound([key], [key, []]) : IDBKeyRange.only(key);
  return damageOne(place, range, (chance * 3) % 1);
}

function damageAny(transaction: IDBTransaction, store: 'loops' | 'feeds', chance: number): Promise<number> {
  return damageOne(transaction.objectStore(store), null, chance);
}

async function damageOne(store: IDBObjectStore, range: IDBKeyRange | null, chance: number): Promise<number> {
  const [key] = await answerTo(store.getAllKeys(range, 1));
  const [value] = await answerTo(store.getAll(range, 1));
  if (key === undefined) return 0;
  const damaged = damagedBy(value, chance);
  if (damaged === undefined) await answerTo(store.delete(key));
  else await answerTo(store.keyPath === null ? store.put(damaged, key) : store.put(damaged));
  return 1;
}

/** Undefined where it is removed. */
function damagedBy(value: unknown, chance: number): unknown {
  const way = Math.floor(chance * 5);
  const detail = (chance * 5) % 1;
  if (way === 0) return undefined;
  if (value instanceof ArrayBuffer) return damagedBytes(value, way, detail);
  const members = Object.entries(Object(value)).filter(([name]) => !['key', 'n', 'offset'].includes(name));
  const [name = '', member] = members[Math.floor(detail * members.length)] ?? [];
  const { [name]: _gone, ...rest } = Object(value);
  switch (way) {
    case 1:
      return rest;
    case 2:
      return { ...rest, [name]: member instanceof ArrayBuffer ? damagedBytes(member, 3, detail) : null };
    case 3:
      return { ...rest, [name]: typeof member === 'number' ? 'text' : 7 };
    default:
      return { ...rest, [name]: { unexpected: [] } };
  }
}

function damagedBytes(bytes: ArrayBuffer, way: number, detail: number): unknown {
  const at = Math.floor(detail * bytes.byteLength);
  if (way === 1) return bytes.slice(0, at);
  if (way === 2) return 'no bytes';
  // One byte is another, and the size is right: in text of JSON that is often JSON as well.
  const copy = new Uint8Array(bytes.slice(0));
  if (copy.length > 0) copy[at] = copy[at] === 0x31 ? 0x32 : 0x31;
  return copy.buffer;
}

function answerTo<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB has failed')));
  });
}
