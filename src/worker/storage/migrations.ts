/**
 * From one version to the next, in a transaction of which all happens or nothing. A step only ever adds, and nothing
 * that could refuse what an older release writes: after a roll-back, and beside a newer tab, an older engine opens the
 * same database and must find all that it knows.
 */
export type Step = (upgrade: IDBTransaction) => void;

/**
 * What a partition's database holds: answers' metadata and their bodies under the same key (ArrayBuffers, since WebKit
 * has failed to store Blobs, platform.md), and the changes that lead from an answer's snapshot to its newest bytes, in
 * their order; what loops have to remember, and the answers of feeds in the order of their numbers; single values by
 * name. One step for each version, in order; one that was released never changes.
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
 * Brings a database from a version up to that of the steps; 0 is one that has just been made.
 * @throws Error where another version was asked for, which these steps would not lead to.
 */
export function migrate(upgrade: IDBTransaction, from: number, steps: readonly Step[]): void {
  const { version } = upgrade.db;
  if (version !== steps.length) throw new Error(`Version ${version} is not the present one, ${steps.length}`);
  for (const step of steps.slice(from)) step(upgrade);
}
