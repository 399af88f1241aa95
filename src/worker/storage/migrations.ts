/**
 * From one version to the next, in a transaction: all of it happens or nothing. A step only ever adds, and nothing that
 * could refuse what an older release writes. After a roll-back, or beside a newer tab, an older engine opens the same
 * database and must find all that it knows.
 */
export type Step = (upgrade: IDBTransaction) => void;

/**
 * The stores of a partition's database. `responses`, `bodies`: metadata and bytes of answers under the same key, those
 * of small ones in `responses` (ArrayBuffers, since WebKit has failed to store Blobs). `patches`: byte deltas from an
 * answer's snapshot to its newest bytes, in order. `loops`: loop states. `feeds`: answers of feeds by number. `meta`:
 * single values by name. One step for each version, in order; a released step never changes.
 */
export const STEPS: readonly Step[] = [
  ({ db }): void => {
    db.createObjectStore('responses', { keyPath: 'key' }).createIndex('usedAt', 'usedAt');
    db.createObjectStore('bodies');
    db.createObjectStore('patches', { keyPath: ['key', 'n'] });
    db.createObjectStore('loops', { keyPath: 'key' });
    db.createObjectStore('feeds', { keyPath: ['key', 'offset'] });
    db.createObjectStore('meta');
  },
];

/**
 * The stores of a database of writes that wait. `outbox`: the writes, in their order. `ended`: those that have ended
 * lately. `past`: what stays of those that ended before. `payloads`: the bodies of all. `names`: what has become of the
 * temporary ids of those that have ended. `meta`: single values by name. A released step never changes.
 */
export const OUTBOX_STEPS: readonly Step[] = [
  ({ db }): void => {
    const outbox = db.createObjectStore('outbox', { keyPath: 'place' });
    outbox.createIndex('entry', 'entry', { unique: true });
    outbox.createIndex('uses', 'uses', { multiEntry: true });
    outbox.createIndex('temporaryId', 'temporaryId');
    db.createObjectStore('ended', { keyPath: 'place' }).createIndex('entry', 'entry', { unique: true });
    db.createObjectStore('payloads', { keyPath: 'place' });
    db.createObjectStore('names', { keyPath: 'temporaryId' }).createIndex('at', 'at');
    db.createObjectStore('meta');
  },
  ({ db }): void => {
    db.createObjectStore('past', { keyPath: 'entry' }).createIndex('endedAt', 'endedAt');
  },
];

/** The stores of the root database: `meta` alone. A released step never changes. */
export const ROOT_STEPS: readonly Step[] = [({ db }): void => void db.createObjectStore('meta')];

/**
 * The stores of the copy of a database of writes that wait. `copies`, `copiedBodies`: the writes and what they send, by their entries.
 * `names`, `meta`: as there. A released step never changes.
 */
export const COPY_STEPS: readonly Step[] = [
  ({ db }): void => {
    db.createObjectStore('copies', { keyPath: 'entry' });
    db.createObjectStore('copiedBodies', { keyPath: 'entry' });
    db.createObjectStore('names', { keyPath: 'temporaryId' }).createIndex('at', 'at');
    db.createObjectStore('meta');
  },
];

/** Migrates from version `from`; 0 is a new database. @throws Error if the database is not at the newest version. */
export function migrate(upgrade: IDBTransaction, from: number, steps: readonly Step[]): void {
  const { version } = upgrade.db;
  if (version !== steps.length) throw new Error(`Version ${version} is not the present one, ${steps.length}`);
  for (const step of steps.slice(from)) step(upgrade);
}
