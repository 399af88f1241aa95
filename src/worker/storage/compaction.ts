import type { ByteDelta } from '../contracts/byte-delta.ts';

/** What is known of the changes that lead from an answer's snapshot to its newest bytes; they lie apart. */
export interface DeltaLog {
  /** Bytes of the snapshot. */
  readonly snapshot: number;
  readonly count: number;
  /** Bytes that the changes count for. */
  readonly bytes: number;
  /** Milliseconds of the epoch: when its first change came. The snapshot is no younger. */
  readonly since: number;
}

/** The part of an answer that a change may be, and of a snapshot that its log may be before it is compacted. */
const SHARE = 1 / 4;

/** Milliseconds between two snapshots of an answer. */
const REST = 60_000;

/** Changes of one log: whoever reads the answer reads them all. */
const MOST_CHANGES = 1_000;

/** Bytes that a number of `runs` counts for, and what lies around a change: about what browsers store. */
const NUMBER = 8;
const SURROUNDINGS = 64;

/** Bytes that a change counts for. */
export function weightOf({ runs, literal }: ByteDelta): number {
  return SURROUNDINGS + runs.length * NUMBER + literal.byteLength;
}

/** Whether storing the change rather than the whole of `size` bytes is worth it: never for a small answer. */
export function isWorthwhile(change: ByteDelta, size: number): boolean {
  return change.size === size && weightOf(change) <= size * SHARE;
}

/** With one change more; where there is no log, one begins after a snapshot of `size` bytes. */
export function extended(log: DeltaLog | null, size: number, change: ByteDelta, now: number): DeltaLog {
  const { snapshot, count, bytes, since } = log ?? { snapshot: size, count: 0, bytes: 0, since: now };
  return { snapshot, count: count + 1, bytes: bytes + weightOf(change), since };
}

/**
 * Whether a new snapshot is to take the place of this log and the snapshot before it. `isFree` says whether the
 * answer's origin may write one now: what may not be done now is done later, and the log grows meanwhile.
 */
export function isDue(log: DeltaLog, now: number, isFree: boolean): boolean {
  if (isFull(log)) return true;
  return isFree && log.bytes > log.snapshot * SHARE && hasRested(log, now);
}

/** Whatever else is to be kept: an answer takes at most twice its room, and is put together in bounded time. */
function isFull({ snapshot, count, bytes }: DeltaLog): boolean {
  return bytes >= snapshot || count >= MOST_CHANGES;
}

/** A clock that was set back does not hold it up. */
function hasRested({ since }: DeltaLog, now: number): boolean {
  return now - since >= REST || now < since;
}
