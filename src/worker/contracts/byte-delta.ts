import type { Revision } from '../../shared/outcome.ts';

/** The change from the bytes of a revision to new bytes. */
export interface DeltaFrom {
  readonly from: Revision;
  readonly change: ByteDelta;
}

/** Makes new bytes from the bytes before. */
export interface ByteDelta {
  /** Pairs: a start in the old bytes, or -1 for the next of `literal`, and a number of bytes. */
  readonly runs: readonly number[];
  readonly literal: ArrayBuffer;
  /** Bytes of the result. */
  readonly size: number;
}
