import { isDeepStrictEqual } from 'node:util';
import type { IDBPDatabase, IDBPObjectStore } from 'idb';

/** The facts of a database, by name: how each store and index is made, and each record. */
export type Facts = ReadonlyMap<string, unknown>;

export async function factsOf(connection: IDBPDatabase): Promise<Facts> {
  const facts = new Map<string, unknown>();
  for (const name of connection.objectStoreNames) {
    const { store } = connection.transaction(name);
    for (const [fact, value] of schemaOf(store)) facts.set(fact, value);
    const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll()]);
    for (const [index, key] of keys.entries())
      facts.set(`record ${name}/${JSON.stringify(key)}`, values[index]);
  }
  return facts;
}

/** Without the records. */
export function schemaFacts(facts: Facts): Facts {
  return new Map([...facts].filter(([fact]) => !fact.startsWith('record ')));
}

/** Lists what an engine that knows the old database would miss or trip over; empty if a change only adds. */
export function lossesBetween(before: Facts, after: Facts): string[] {
  const lost = [...before].flatMap(([fact, value]) => {
    if (!after.has(fact)) return [`${fact} is gone`];
    return isDeepStrictEqual(after.get(fact), value) ? [] : [`${fact} has changed`];
  });
  // The older engine does not know the index, which would refuse what that engine writes.
  const strict = [...after].flatMap(([fact, value]) =>
    !before.has(fact) && before.has(storeOf(fact)) && isUnique(value) ? [`${fact} is unique`] : [],
  );
  return [...lost, ...strict];
}

/** Puts one record into each store, whatever its keys. */
export async function fillAll(connection: IDBPDatabase): Promise<void> {
  for (const name of connection.objectStoreNames) {
    const { store } = connection.transaction(name, 'readwrite');
    const { keyPath } = store;
    if (keyPath === null) await store.put({ value: 1 }, 'sample');
    else
      await store.put(
        Object.fromEntries([['value', 1], ...[keyPath].flat().map((path) => [path, 'sample'])]),
      );
  }
}

function schemaOf(store: IDBPObjectStore): [string, unknown][] {
  const { name, keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((each): [string, unknown] => {
    const { keyPath: path, unique, multiEntry } = store.index(each);
    return [`index ${name}/${each}`, { keyPath: path, unique, multiEntry }];
  });
  return [[`store ${name}`, { keyPath, autoIncrement }], ...indexes];
}

function storeOf(fact: string): string {
  return fact.replace(/^index (.*)\/.*$/, 'store $1');
}

function isUnique(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'unique' in value && value.unique === true;
}
