import { count, must, object, ordinal } from '../../shared/shape.ts';
import type { DeltaLog } from './compaction.ts';
import { intactRecord } from './response-record.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** An answer as the database has it: `bodies` holds its bytes or, where there is a log, those that the log leads from. */
export interface StoredAnswer {
  readonly record: StoredResponse;
  /** Null where no change follows the snapshot. */
  readonly log: DeltaLog | null;
}

/**
 * How it lies in `responses`, when it was last used: with a log, `counted` is what it counts for, even where the log is
 * damaged.
 */
export function laidOut({ record, log }: StoredAnswer, usedAt: number): object {
  return { ...record, usedAt, ...(log && { log, counted: bytesOf(log) }) };
}

/** Milliseconds of the epoch: when what lies there was last used, as far as was noted. */
export function usedAtOf(value: unknown): number {
  const { usedAt } = Object(value);
  return typeof usedAt === 'number' ? usedAt : 0;
}

/** The answer, if what is known of it is whole. */
export function intactAnswer(value: unknown): StoredAnswer | null {
  // Without what only the layout knows: what is given out may come back as another description.
  const { log = null, counted: _counted, usedAt: _usedAt, ...rest } = Object(value);
  const record = intactRecord(rest);
  if (record === null) return null;
  if (!('log' in Object(value))) return { record, log: null };
  return isLog(log) ? { record, log } : null;
}

/** Bytes that a snapshot and its log count for. */
export function bytesOf({ snapshot, bytes }: DeltaLog): number {
  return snapshot + bytes;
}

function isLog(value: unknown): value is DeltaLog {
  return shape(value) === null;
}

const shape = object<DeltaLog>({
  snapshot: count,
  count: ordinal,
  bytes: count,
  since: must(Number.isFinite, 'be a number'),
});
