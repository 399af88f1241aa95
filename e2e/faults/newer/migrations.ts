import {
  COPY_STEPS,
  migrate,
  OUTBOX_STEPS,
  ROOT_STEPS,
  STEPS as SHIPPED,
  type Step,
} from '../../../src/worker/storage/migrations.ts';

export { COPY_STEPS, migrate, OUTBOX_STEPS, ROOT_STEPS, type Step };

/** Those of a release to come: one step more, of what a step can add. */
export const STEPS: readonly Step[] = [
  ...SHIPPED,
  (upgrade): void => {
    upgrade.db.createObjectStore('later', { keyPath: 'id' }).createIndex('at', 'at');
    upgrade.objectStore('responses').createIndex('status', 'status');
  },
];
