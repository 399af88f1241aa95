import type { LoopState } from '../contracts/loop-state.ts';
import type { FeedLog } from './feed-log.ts';

/** A loop as it lies in the database, with what is known of its log; the entries lie apart. */
export interface StoredLoop {
  readonly key: string;
  readonly record: LoopState;
  readonly log: FeedLog;
  /** Milliseconds of the epoch: when its record was written last. */
  readonly usedAt: number;
}

/** Milliseconds between two looks for loops that are forgotten. */
export const DAY: number = 24 * 60 * 60 * 1_000;

/** Milliseconds that a loop is remembered after its last use: seven days. */
const LIFETIME = 7 * DAY;

/**
 * Whether nobody has used the loop for so long that nobody will. Each answer and each failure is a use, and so is a page
 * that begins in its feed, which may have to wait long for the first answer.
 */
export function isForgotten({ usedAt, record }: Pick<StoredLoop, 'usedAt' | 'record'>, now: number): boolean {
  return now - Math.max(usedAt, record.notBefore) > LIFETIME;
}
