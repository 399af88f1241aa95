import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { FeedLog } from './feed-log.ts';

/** What a loop has to remember. */
export interface LoopRecord {
  readonly key: string;
  /** Failures in a row. */
  readonly failures: number;
  /** Milliseconds of the epoch: no request goes earlier. */
  readonly notBefore: number;
  readonly failure: Failure | null;
  /** The place of the next request. */
  readonly cursor: string | null;
  /** Names the log of entries: new whenever its numbers start afresh. */
  readonly log: string;
  /** The number of the newest entry that was ever in the log. */
  readonly last: number;
  /** Milliseconds of the epoch. */
  readonly answeredAt: number;
}

/** One answer of a feed. */
export interface FeedEntry {
  readonly n: number;
  readonly outcome: Outcome;
  /** Bytes, as they count against the log's size. */
  readonly size: number;
}

/** A loop as it lies in the database, with what is known of its log; the entries lie apart. */
export interface StoredLoop {
  readonly key: string;
  readonly record: LoopRecord;
  readonly log: FeedLog;
}

/** Milliseconds that a loop is remembered after its last use: seven days. */
const LIFETIME = 7 * 24 * 60 * 60 * 1_000;

/** Whether nobody has used the loop for so long that nobody will. Each answer and each failure is a use. */
export function isForgotten({ answeredAt, notBefore }: LoopRecord, now: number): boolean {
  return now - Math.max(answeredAt, notBefore) > LIFETIME;
}
