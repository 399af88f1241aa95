import type { FakeSystem } from '../platform/system.fixture.ts';

/** All that lies in all databases, as text. Bytes are read as text, too. */
export async function onDisk({ indexedDB }: Pick<FakeSystem, 'indexedDB'>): Promise<string> {
  const all: unknown[] = [];
  for (const { name = '' } of (await indexedDB?.databases()) ?? []) {
    const database = await asked<IDBDatabase>(indexedDB?.open(name));
    for (const store of database.objectStoreNames) {
      const shelf = database.transaction(store).objectStore(store);
      all.push(store, await asked(shelf.getAllKeys()), await asked(shelf.getAll()));
    }
    database.close();
  }
  return JSON.stringify(all, (_, value: unknown) =>
    value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value,
  );
}

function asked<T>(request: IDBRequest<T> | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!request) return reject(new Error());
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
