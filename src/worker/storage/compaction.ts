import type { ByteDelta } from '../contracts/byte-delta.ts';

/** Describes the byte deltas from an answer's snapshot to its newest bytes; they are stored apart. */
export interface DeltaLog {
  /** Bytes of the snapshot. */
  readonly snapshot: number;
  readonly count: number;
  /** Bytes that the byte deltas count for. */
  readonly bytes: number;
  /** Milliseconds of the epoch when its first byte delta came. The snapshot is no younger. */
  readonly since: number;
}

/** The largest share of an answer that a byte delta may be, and of a snapshot that its log may be before compaction. */
const SHARE = 1 / 4;

/** Milliseconds between two snapshots of an answer. */
const REST = 60_000;

/** Most byte deltas of one log: a read of the answer reads them all. */
const MOST_CHANGES = 1_000;

/** Bytes that a number of `runs` counts for, and the overhead of a byte delta: about what browsers store. */
const NUMBER = 8;
const SURROUNDINGS = 64;

/** Bytes that a byte delta counts for. */
export function weightOf({ runs, literal }: ByteDelta): number {
  return SURROUNDINGS + runs.length * NUMBER + literal.byteLength;
}

/** True if a byte delta is worth storing rather than the whole of `size` bytes: never for a small answer. */
export function isWorthwhile(change: ByteDelta, size: number): boolean {
  return change.size === size && weightOf(change) <= size * SHARE;
}

/** Adds a byte delta; if there is no log, one begins after a snapshot of `size` bytes. */
export function extended(log: DeltaLog | null, size: number, change: ByteDelta, now: number): DeltaLog {
  const { snapshot, count, bytes, since } = log ?? { snapshot: size, count: 0, bytes: 0, since: now };
  return { snapshot, count: count + 1, bytes: bytes + weightOf(change), since };
}

/** True if a new snapshot must replace this log; unless it is full, only if the origin may write one (`isFree`). */
export function isDue(log: DeltaLog, now: number, isFree: boolean): boolean {
  if (isFull(log)) return true;
  return isFree && log.bytes > log.snapshot * SHARE && hasRested(log, now);
}

/** Compaction is then due in any case: an answer takes at most twice its room, and is put together in bounded time. */
function isFull({ snapshot, count, bytes }: DeltaLog): boolean {
  return bytes >= snapshot || count >= MOST_CHANGES;
}

/** A clock that was set back does not delay it. */
function hasRested({ since }: DeltaLog, now: number): boolean {
  return now - since >= REST || now < since;
}
