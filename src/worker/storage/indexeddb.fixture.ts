import {
  IDBCursor,
  IDBDatabase,
  IDBFactory,
  IDBIndex,
  IDBObjectStore,
  IDBOpenDBRequest,
  IDBRequest,
  IDBTransaction,
} from 'fake-indexeddb';

// idb recognises what it wraps by the classes that stand in the global scope.
Object.assign(globalThis, { IDBCursor, IDBDatabase, IDBIndex, IDBObjectStore, IDBRequest, IDBTransaction });

export { forceCloseDatabase } from 'fake-indexeddb';
export { IDBFactory, IDBOpenDBRequest };
