import type { LoopKind } from './pace.ts';

/** What the worker is doing, as data: the answer of `connection.inspect()`. Times are milliseconds of the epoch. */
export interface Inspection {
  readonly instance: string;
  readonly startedAt: number;
  readonly now: number;
  /** Whether its loops run: those of one engine of the origin do, the others rest. */
  readonly acting: boolean;
  /** Counts the engines that have acted; null while this one rests, or where it cannot be stored. */
  readonly generation: number | null;
  readonly pages: number;
  readonly calls: readonly CallInspection[];
  readonly loops: readonly LoopInspection[];
  readonly cache: CacheInspection;
  readonly origins: readonly OriginInspection[];
}

export interface CallInspection {
  readonly action: string;
  readonly method: string;
  readonly template: string;
  readonly since: number;
}

export interface LoopInspection {
  readonly action: string;
  readonly template: string;
  readonly kind: LoopKind;
  /** Milliseconds; null for a long-poll. */
  readonly interval: number | null;
  /**
   * `queued` is a loop that is due and waits for its turn: for the one that asks a failing origin, or for one of few
   * long-polls to come back. `resting` is one that is due while another engine acts (`acting` is false).
   */
  readonly state: 'waiting' | 'queued' | 'asking' | 'resting';
  /** When it asks next; null unless it waits for that. */
  readonly nextDueAt: number | null;
  readonly requests: number;
  /** Failures in a row. */
  readonly failures: number;
  /** Sessions of pages that follow it. */
  readonly pages: number;
}

export interface CacheInspection {
  readonly mode: 'indexeddb' | 'memory' | 'closed';
  /** How many answers are stored; null where the database does not say within two seconds. */
  readonly entries: number | null;
  /** Bytes of their bodies; null likewise. */
  readonly bytes: number | null;
}

export interface OriginInspection {
  readonly origin: string;
  readonly status: OriginStatus;
  /** When it came to be so. */
  readonly since: number;
  /** When it was last asked. */
  readonly askedAt: number;
}

/**
 * What the last outcome of a request to an origin was: an answer (`reachable`), none (`unreachable`), or one of a
 * gateway without its server (`failing`: 502, 503, 504). An origin of which nothing is known has none.
 */
export type OriginStatus = 'reachable' | 'unreachable' | 'failing';
