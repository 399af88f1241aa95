import type { IDBPDatabase } from 'idb';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import { openInTime } from './opening.ts';

/** The database of partition `default`. */
export const NAME = 'offstage:default';

/** The steps of a later release: one more, which adds what a step can add. */
export const LATER: readonly Step[] = [
  ...STEPS,
  (upgrade): void => {
    upgrade.db.createObjectStore('later', { keyPath: 'id' }).createIndex('at', 'at', { unique: true });
    upgrade.objectStore('responses').createIndex('status', 'status');
  },
];

/** A connection as a release with those steps opens it. */
export function openWith(steps: readonly Step[], factory: IDBFactory): Promise<IDBPDatabase> {
  return openInTime(factory, NAME, new VirtualClock(), steps);
}
