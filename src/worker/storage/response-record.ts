import { LIMITS } from '../../shared/limits.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { ByteDelta, StoredResponse } from '../contracts/response-store.ts';
import { count, must, object, ordinal } from '../../shared/shape.ts';

const logShape = object<DeltaLog>({
  snapshot: count,
  count: ordinal,
  bytes: count,
  since: must(Number.isFinite, 'be a number'),
});

export type RecordChange =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'describe'; readonly stored: StoredResponse }
  | { readonly kind: 'replace'; readonly stored: StoredResponse; readonly body: ArrayBuffer }
  | DeltaChange;

/** New bytes, with the byte delta that makes them from those of the record. */
export interface DeltaChange {
  readonly kind: 'amend';
  readonly stored: StoredResponse;
  /** The revision whose bytes the byte delta is applied to. */
  readonly from: Revision;
  readonly change: ByteDelta;
  /** The whole, made only if it is to be stored. */
  readonly body: ArrayBuffer | (() => ArrayBuffer);
}

export type Decide = (current: StoredResponse | null) => RecordChange;

/** The record, if it is whole: data on a disk may be damaged, or written by other code. */
export function intactRecord(value: unknown): StoredResponse | null {
  return isRecord(value) ? value : null;
}

export function wholeOf({ body }: DeltaChange): ArrayBuffer {
  return typeof body === 'function' ? body() : body;
}

/** The body, if it is whole and still the one that the record describes. */
export function intactBody(record: StoredResponse, body: unknown): ArrayBuffer | null {
  return body instanceof ArrayBuffer && body.byteLength === record.size ? body : null;
}

/** Bytes that an answer's metadata counts for, so that many answers without a body do not grow without bound. */
export const METADATA = 1024;

/**
 * Bytes that an answer with this value in `responses` counts for beside that, even if its record is damaged; 0 if there
 * is none, or it cannot be that many.
 */
export function sizeOf(value: unknown): number {
  const { counted, size, excess } = Object(value);
  return believed(counted ?? size) + believed(excess);
}

function believed(bytes: unknown): number {
  return typeof bytes === 'number' && bytes > 0 && bytes <= LIMITS.storedSize ? Math.ceil(bytes) : 0;
}

/** Characters by which the metadata is longer: a server may send a quarter of a megabyte of headers with each answer. */
export function excessOf({ key, url, headers, newer = '' }: StoredResponse): number {
  const texts = [key, url, newer, ...headers.flat()];
  const length = texts.reduce((sum, each) => sum + each.length, 0);
  return Math.max(0, length - METADATA);
}

function isRecord(value: unknown): value is StoredResponse {
  if (!isObject(value)) return false;
  const { key, url, sender = '', finalUrl = '', selectedBy = '', proof = '', newer = '' } = value;
  const { status, headers, receivedAt, digest, size, revision } = value;
  return (
    [key, url, sender, finalUrl, selectedBy, proof, newer, digest].every(
      (each) => typeof each === 'string',
    ) &&
    [status, receivedAt, size].every((each) => Number.isFinite(each)) &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    isRevision(revision)
  );
}

function isHeader(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');
}

function isRevision(value: unknown): boolean {
  return isObject(value) && typeof value['lineage'] === 'string' && Number.isSafeInteger(value['number']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Bytes of the largest body that lies in the record itself: one request writes both, and one removes them. */
const SMALL = 2_048;

/** An answer as the database has it: `bodies` holds its bytes or, if there is a log, those that the log starts from. */
export interface StoredAnswer {
  readonly record: StoredResponse;
  /** Null if no byte delta follows the snapshot: never does one follow a small body. */
  readonly log: DeltaLog | null;
  /** The bytes of a small body, which lie in `responses`; null if it is larger. */
  readonly body: ArrayBuffer | null;
}

/** True if the body of this record, or of this value in `responses`, is small. */
export function isSmall(value: unknown): boolean {
  const { size, counted } = Object(value);
  return typeof size === 'number' && size <= SMALL && counted === undefined;
}

/**
 * True if nothing of the answer with this value in `responses` lies apart. Where it is encrypted, its size is believed:
 * its body is not seen.
 */
export function isWhole(value: unknown): boolean {
  const { body, sealed } = Object(value);
  return isSmall(value) && (body !== undefined || sealed !== undefined);
}

/** The value in `responses`. With a log, `counted` is what it counts for, even if the log is damaged. */
export function laidOut({ record, log, body }: StoredAnswer, usedAt: number): object {
  const excess = excessOf(record);
  return {
    ...record,
    usedAt,
    ...(excess > 0 && { excess }),
    ...(body && { body }),
    ...(log && { log, counted: bytesOf(log) }),
  };
}

/** Milliseconds of the epoch: the last use that was noted. */
export function usedAtOf(value: unknown): number {
  const { usedAt } = Object(value);
  return typeof usedAt === 'number' ? usedAt : 0;
}

/** The answer, if its record, its small body and its log are whole. */
export function intactAnswer(value: unknown): StoredAnswer | null {
  // Without what only the layout knows: the record may come back as another description.
  const { log = null, body: found = null, counted: _1, excess: _2, usedAt: _3, ...rest } = Object(value);
  const record = intactRecord(rest);
  if (record === null) return null;
  const body = intactBody(record, found);
  if (isSmall(value)) return body && { record, log: null, body };
  if (!('log' in Object(value))) return { record, log: null, body: null };
  return isLog(log) ? { record, log, body: null } : null;
}

export function bytesOf({ snapshot, bytes }: DeltaLog): number {
  return snapshot + bytes;
}

function isLog(value: unknown): value is DeltaLog {
  return logShape(value) === null;
}

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
  const before = log ?? { snapshot: size, count: 0, bytes: 0, since: now };
  return { ...before, count: before.count + 1, bytes: before.bytes + weightOf(change) };
}

/** True if a new snapshot must replace this log; unless it is full, only if the origin may write one (`isFree`). */
export function isDue(log: DeltaLog, now: number, isFree: boolean): boolean {
  if (isFull(log)) return true;
  return isFree && log.bytes > log.snapshot * SHARE && hasRested(log, now);
}

/** Compaction is then due in any case: an answer takes at most twice its room, and is put together in bounded time. */
function isFull(log: DeltaLog): boolean {
  return log.bytes >= log.snapshot || log.count >= MOST_CHANGES;
}

/** A clock that was set back does not delay it. */
function hasRested({ since }: DeltaLog, now: number): boolean {
  return now - since >= REST || now < since;
}
