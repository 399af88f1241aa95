import type { FeedEntry, LoopState } from './loop-state.ts';
import type { Lookup } from './lookup.ts';

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
