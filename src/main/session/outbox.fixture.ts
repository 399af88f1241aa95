import type { SessionOutbox } from './session.ts';

/** A session whose page queues nothing. */
export const NOTHING_QUEUED: SessionOutbox = {
  write: () => {},
  counts: () => {},
  live: () => {},
  isDue: () => false,
};
