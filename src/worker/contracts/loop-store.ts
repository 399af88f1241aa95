import type { Lookup } from './lookup.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';

/** Where loops are stored. Every write is that of the acting engine, or it rejects with StaleGeneration. No read rejects. */
export interface LoopStore {
  find(key: string): Promise<Lookup<LoopState>>;
  save(record: LoopState, generation: number | null): Promise<void>;
  /**
   * Stores an answer with the place after it, in one transaction. Entries beyond the log's bounds go, the oldest first;
   * resolves with the number of the oldest that is still there.
   */
  append(record: LoopState, entry: FeedEntry, generation: number | null): Promise<number>;
  /** Entries after number `after`, in order, so many at most. */
  entries(key: string, after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>>;
  /**
   * Removes the entries up to and including number `upTo`, which nobody wants that is there: after `patience`
   * milliseconds, with the first removal from then on, and in whatever life of the worker that is.
   */
  prune(key: string, upTo: number, patience: number, generation: number | null): Promise<void>;
}

/** What is stored of a loop, so that neither the worker's death nor the browser's loses its place or its patience. */
export interface LoopState {
  /** A digest of what makes loops the same: no secret can be told from it. */
  readonly key: string;
  /** Failures in a row; 0 when all is well. */
  readonly failures: number;
  /** Milliseconds of the epoch: no request goes earlier. 0 when all is well. */
  readonly notBefore: number;
  /** Why the last request failed; null when it did not. */
  readonly failure: Failure | null;
  /** The place of the next request; null where none is known. */
  readonly cursor: string | null;
  /** Names this log of entries: new whenever its numbers start afresh. */
  readonly log: string;
  /** The number of the newest entry that was ever in the log; 0 before the first. */
  readonly last: number;
  /**
   * The number of the last entry that every page had taken when this was stored: what a page is told that comes after
   * the browser was killed begins after it. Records of older workers are without.
   */
  readonly acknowledged?: number;
  /** Milliseconds of the epoch: when the last request was answered. */
  readonly answeredAt: number;
}

/** One answer of a feed, kept until every page that follows it has taken it. */
export interface FeedEntry {
  /** From 1 in each log, without gaps. */
  readonly offset: number;
  readonly outcome: Outcome;
  /** Bytes, as they count against the log's size. */
  readonly size: number;
  /** Milliseconds of the epoch: when the answer came. Entries of older workers are without. */
  readonly receivedAt?: number;
}
