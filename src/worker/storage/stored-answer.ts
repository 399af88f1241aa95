import { count, must, object, ordinal, text } from '../../shared/shape.ts';
import type { PatchLog } from './compaction.ts';
import { intactRecord } from './response-record.ts';
import type { ResponseRecord } from './response-record.ts';

/** An answer as the database has it: `bodies` holds its bytes or, where there is a log, those that the log leads from. */
export interface StoredAnswer {
  readonly record: ResponseRecord;
  /** Null where no change follows the snapshot. */
  readonly log: PatchLog | null;
}

/** What lies in the place of a record's digest and size where a log follows the snapshot. */
interface Amended {
  readonly digest: string;
  readonly size: number;
  readonly log: PatchLog;
}

/**
 * How it lies in `responses`. A release from before the logs knows a body by its size alone, and would serve a snapshot
 * of the same size for the newest bytes. So a record with a log has no digest: it is damaged to such a release, which
 * removes it. `size` is what an answer counts for, which that release then subtracts.
 */
export function laidOut({ record, log }: StoredAnswer): object {
  if (log === null) return record;
  const { digest, size, ...rest } = record;
  const amended: Amended = { digest, size, log };
  return { ...rest, size: bytesOf(log), amended };
}

/** The answer, if what is known of it is whole. */
export function intactAnswer(value: unknown): StoredAnswer | null {
  const amended = amendedIn(value);
  const record = intactRecord(amended ? merged(value, amended) : value);
  return record && { record, log: amended?.log ?? null };
}

/** Bytes that a snapshot and its log count for. */
export function bytesOf({ snapshot, bytes }: PatchLog): number {
  return snapshot + bytes;
}

function amendedIn(value: unknown): Amended | null {
  const amended: unknown =
    typeof value === 'object' && value !== null && 'amended' in value ? value.amended : null;
  return isAmended(amended) ? amended : null;
}

/** Without what only the layout knows: what is given out may come back as another description. */
function merged(value: unknown, { digest, size }: Amended): object {
  const { amended: _amended, ...rest } = Object(value);
  return { ...rest, digest, size };
}

function isAmended(value: unknown): value is Amended {
  return shape(value) === null;
}

const shape = object<Amended>({
  digest: text,
  size: count,
  log: object<PatchLog>({
    snapshot: count,
    count: ordinal,
    bytes: count,
    since: must(Number.isFinite, 'be a number'),
  }),
});
