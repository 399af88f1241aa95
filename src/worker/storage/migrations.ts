import type { IDBPDatabase } from 'idb';

/**
 * What a partition's database holds, built up step by step: answers' metadata and their bodies under the same key
 * (ArrayBuffers, since WebKit has failed to store Blobs, platform.md), and single values by name. One step for each version, in order. A step only ever adds: after a roll-back an older worker opens the same
 * database and must find all that it knows.
 */
const STEPS: readonly ((database: IDBPDatabase) => void)[] = [
  (database): void => {
    database.createObjectStore('responses', { keyPath: 'key' }).createIndex('receivedAt', 'receivedAt');
    database.createObjectStore('bodies');
    database.createObjectStore('meta');
  },
];

export const VERSION: number = STEPS.length;

/** Brings a database from a version up to the present one; 0 is one that has just been made. */
export function migrate(database: IDBPDatabase, from: number): void {
  for (const step of STEPS.slice(from)) step(database);
}
