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
  readonly kind: 'poll' | 'long-poll';
  /** Milliseconds; null for a long-poll. */
  readonly interval: number | null;
  /** `resting` is a loop that is due while another engine acts (`acting` is false): it asks once this one does. */
  readonly state: 'waiting' | 'asking' | 'resting';
  /** When it asks next; null while it asks or rests. */
  readonly nextDueAt: number | null;
  /** The one that it rests with counts already. */
  readonly requests: number;
  /** Failures in a row. */
  readonly failures: number;
}

export interface CacheInspection {
  readonly mode: 'indexeddb' | 'memory' | 'closed';
  readonly entries: number;
  /** Bytes of bodies. */
  readonly bytes: number;
}
