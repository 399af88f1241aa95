import type { Header } from './header.ts';
import type { LoopKind } from './pace.ts';

/** The worker's current state as data, as `connection.inspect()` returns it. Times are milliseconds of the epoch. */
export interface Inspection {
  readonly instance: string;
  readonly startedAt: number;
  readonly now: number;
  /** True where its loops run. Only one engine of the origin acts; the loops of the others rest. */
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
   * `queued`: the loop is due and waits for its turn, because another one asks a failing origin for all, or because few
   * long-polls may be out. `resting`: it is due while another engine acts (`acting` is false).
   */
  readonly state: 'waiting' | 'queued' | 'asking' | 'resting';
  /** When it asks next; null unless it waits for a time. */
  readonly nextDueAt: number | null;
  readonly requests: number;
  /** Failures in a row. */
  readonly failures: number;
  /** Sessions of pages that follow it. */
  readonly pages: number;
}

export interface CacheInspection {
  readonly mode: 'indexeddb' | 'memory' | 'closed';
  /** How many answers are stored; null where the database does not answer within two seconds. */
  readonly entries: number | null;
  /** Bytes of their bodies; null in the same case. */
  readonly bytes: number | null;
}

/** One stored answer. Times are milliseconds of the epoch. */
export interface StoredEntry {
  readonly url: string;
  readonly status: number;
  /** When its server last sent or confirmed it. */
  readonly storedAt: number;
  /** Bytes of its body. */
  readonly size: number;
  /** Until when it is served without a request; null where its server has to confirm it first. */
  readonly freshUntil: number | null;
}

/** Some stored answers, in the order of their keys. */
export interface StoredPage {
  readonly entries: readonly StoredEntry[];
  /** Where the next page begins; null after the last. */
  readonly next: string | null;
}

/** A stored answer as it is, without its secret headers, which are not stored. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: ArrayBuffer;
}

export interface OriginInspection {
  readonly origin: string;
  readonly status: OriginStatus;
  /** Since when it has this status. */
  readonly since: number;
  /** When it was last asked. */
  readonly askedAt: number;
}

/**
 * The outcome of the last request to an origin: an answer (`reachable`), none (`unreachable`), or a gateway's answer
 * without its server (`failing`: 502, 503, 504). An origin of which nothing is known has no status.
 */
export type OriginStatus = 'reachable' | 'unreachable' | 'failing';
