import type { Revision } from '../../shared/outcome.ts';

/** What makes new bytes of those of a revision. */
export interface DeltaFrom {
  readonly from: Revision;
  readonly change: ByteDelta;
}

/** What makes the next bytes of those before. */
export interface ByteDelta {
  /** Pairs: where from in the old bytes, or -1 for the next of `literal`, and how many bytes. */
  readonly runs: readonly number[];
  readonly literal: ArrayBuffer;
  /** Bytes of the result. */
  readonly size: number;
}
