/** The stores that this release knows; a later one may have added others. */
export type StoreName =
  | 'responses'
  | 'bodies'
  | 'patches'
  | 'loops'
  | 'feeds'
  | 'outbox'
  | 'ended'
  | 'past'
  | 'payloads'
  | 'names'
  | 'copies'
  | 'copiedBodies'
  | 'meta';

/** The stores whose values are objects and are encrypted. `meta` has numbers, a salt and the keys. */
export type SealedStoreName = Exclude<StoreName, 'meta' | 'bodies'>;

/** Members of their values that are never encrypted: keys, which come first, and what the database sorts and counts by. */
export const OUTSIDE: Readonly<Record<SealedStoreName, readonly string[]>> = {
  responses: ['key', 'usedAt', 'size', 'counted', 'excess'],
  patches: ['key', 'n'],
  loops: ['key'],
  feeds: ['key', 'offset'],
  outbox: ['place', 'entry', 'uses', 'temporaryId'],
  ended: ['place', 'entry'],
  past: ['entry', 'endedAt'],
  payloads: ['place'],
  names: ['temporaryId', 'at'],
  copies: ['entry'],
  copiedBodies: ['entry'],
};

/** One transaction, with its values as they are outside of the database: `SealedTransaction` encrypts them inside. */
export interface Transaction<Mode extends IDBTransactionMode> {
  objectStore(name: StoreName): Mode extends 'readwrite' ? WritableStore : ReadableStore;
}

/** The part of an object store that is used. */
export interface ReadableStore {
  get(key: IDBValidKey): Promise<unknown>;
  getKey(key: IDBValidKey): Promise<unknown>;
  getAll(range?: IDBKeyRange | null, limit?: number): Promise<unknown[]>;
  getAllKeys(range?: IDBKeyRange | null, limit?: number): Promise<IDBValidKey[]>;
  count(): Promise<number>;
  /** Its values have only their outside members, those that are never encrypted, for certain. */
  index(name: string): ReadableIndex;
}

export interface WritableStore extends ReadableStore {
  put(value: unknown, key?: IDBValidKey): Promise<unknown>;
  delete(key: IDBValidKey | IDBKeyRange): Promise<unknown>;
  clear(): Promise<unknown>;
}

export interface ReadableIndex {
  count(range: IDBKeyRange): Promise<number>;
  getAll(range?: IDBKeyRange | null, limit?: number): Promise<unknown[]>;
  openKeyCursor(
    range: IDBKeyRange | null,
    direction: IDBCursorDirection,
  ): Promise<{ readonly key: IDBValidKey; readonly primaryKey: IDBValidKey } | null>;
}

/** The key of the first record that has this value there; null where none has it. The record is not read: it may be large, or lost. */
export async function keyBy(store: ReadableStore, index: string, value: string): Promise<IDBValidKey | null> {
  const found = await store.index(index).openKeyCursor(IDBKeyRange.only(value), 'next');
  return found?.primaryKey ?? null;
}
