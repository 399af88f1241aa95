import type { Lookup } from './response-store.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';

/** Where loops are stored. A write of an engine that does not act rejects with StaleGeneration. No read rejects. */
export interface LoopStore {
  find(key: string): Promise<Lookup<LoopState>>;
  save(record: LoopState, generation: number | null): Promise<void>;
  /**
   * Stores an answer with the cursor after it, in one transaction. Entries beyond the log's bounds go, the oldest
   * first. Resolves with the offset of the oldest that is left.
   */
  append(record: LoopState, entry: FeedEntry, generation: number | null): Promise<number>;
  /** Entries after offset `after`, in order, at most `limit`. */
  entries(key: string, after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>>;
  /**
   * Removes the entries up to and including offset `upTo`, which no present page wants: after `patience` milliseconds,
   * with the first removal from then on, in whatever worker instance.
   */
  prune(key: string, upTo: number, patience: number, generation: number | null): Promise<void>;
}

/** What is stored of a loop, so that it keeps its cursor and its wait when the worker or the browser ends. */
export interface LoopState {
  /** A digest of what makes loops the same. It tells no secret. */
  readonly key: string;
  /** Failures in a row; 0 when all is well. */
  readonly failures: number;
  /** Milliseconds of the epoch: no request goes earlier. 0 when all is well. */
  readonly notBefore: number;
  /** Milliseconds of the epoch: when that wait began. Older records lack it. */
  readonly waitsSince?: number;
  /** Why the last request failed; null when it did not. */
  readonly failure: Failure | null;
  /** The cursor of the next request; null where none is known. */
  readonly cursor: string | null;
  /** Names this log of entries: new whenever its offsets start anew. */
  readonly log: string;
  /** The offset of the newest entry that was ever in the log; 0 before the first. */
  readonly last: number;
  /** Up to here every page had acknowledged: a page begins here after a killed browser. Older records lack it. */
  readonly acknowledged?: number;
  /** Milliseconds of the epoch: when the last request was answered. */
  readonly answeredAt: number;
}

/** One answer of a feed, kept until every page that follows it has acknowledged it. */
export interface FeedEntry {
  /** From 1 in each log, without gaps. */
  readonly offset: number;
  readonly outcome: Outcome;
  /** Bytes, as they count against the log's size. */
  readonly size: number;
  /** Milliseconds of the epoch: when the answer came. Entries of older workers lack it. */
  readonly receivedAt?: number;
}

/** An answer that has just come. */
export interface NewEntry extends FeedEntry {
  /** True where it must not be stored: it is kept in memory, and the stored cursor stays before it. */
  readonly isVolatile?: boolean;
}
