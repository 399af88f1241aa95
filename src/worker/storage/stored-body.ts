import { digestInParts } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { StoreName, Transaction } from './database.ts';
import { replay } from './delta-replay.ts';
import { intactAnswer, intactBody, isSmall } from './response-record.ts';
import type { StoredAnswer } from './response-record.ts';
import type { ByteDelta } from '../contracts/byte-delta.ts';
import { bytes, count, integer, list, object, ordinal, text } from '../../shared/shape.ts';

const deltaShape = object<StoredDelta>({
  key: text,
  n: ordinal,
  runs: list(integer),
  literal: bytes,
  size: count,
});

/** The stored bytes of an answer, as they were found. */
interface Bytes {
  readonly body: unknown;
  readonly patches: readonly unknown[];
}

/** The stores that have the bytes of this answer. */
export function storesOf(record: StoredResponse): readonly StoreName[] {
  return isSmall(record) ? ['responses'] : ['responses', 'bodies', 'patches'];
}

/** The record and the bytes of an answer, at one instant; a small body is in the record. */
export async function readBytes(
  transaction: Transaction<'readonly'>,
  record: StoredResponse,
): Promise<{ readonly found: unknown; readonly bytes: Bytes }> {
  const { key } = record;
  const finding = transaction.objectStore('responses').get(key);
  if (isSmall(record)) return { found: await finding, bytes: { body: null, patches: [] } };
  const [found, body]: unknown[] = await Promise.all([finding, transaction.objectStore('bodies').get(key)]);
  const log = intactAnswer(found)?.log;
  const patches: unknown[] = log
    ? await transaction.objectStore('patches').getAll(firstDeltasOf(key, log.count))
    : [];
  return { found, bytes: { body, patches } };
}

/** The body, if it has the size and the digest of what was received: bytes on a disk may be damaged, however few. */
export async function wholeBody(
  answer: StoredAnswer,
  found: Bytes,
  system: Pick<System, 'digest' | 'pause'>,
): Promise<ArrayBuffer | null> {
  const body = answer.body ?? intactBody(answer.record, bodyOf(answer, found));
  if (body === null) return null;
  return (await digestInParts(new Uint8Array(body), system)) === answer.record.digest ? body : null;
}

/** What the bytes make together; null if they do not fit each other. */
function bodyOf({ log }: StoredAnswer, { body, patches }: Bytes): unknown {
  if (log === null) return body;
  const changes = intactDeltas(patches, log.count);
  if (changes === null || !(body instanceof ArrayBuffer)) return null;
  return replay(new Uint8Array(body), changes)?.buffer ?? null;
}

/** One byte delta of an answer's log, numbered from 1 after each snapshot. */
interface StoredDelta extends ByteDelta {
  readonly key: string;
  readonly n: number;
}

/** All byte deltas of that answer. IndexedDB sorts a list above every number. */
export function deltasOf(key: IDBValidKey): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}

/** The log's own: more may be left behind them by a log whose record was lost. */
function firstDeltasOf(key: IDBValidKey, n: number): IDBKeyRange {
  return IDBKeyRange.bound([key, 1], [key, n]);
}

export async function putDelta(
  transaction: Transaction<'readwrite'>,
  key: string,
  n: number,
  { runs, literal, size }: ByteDelta,
): Promise<void> {
  const patch: StoredDelta = { key, n, runs, literal, size };
  await transaction.objectStore('patches').put(patch);
}

/** The log's byte deltas in their order, if all are there and whole. */
function intactDeltas(values: readonly unknown[], expected: number): readonly ByteDelta[] | null {
  const patches = values.filter(isPatch);
  const follow = patches.every(({ n }, index) => n === index + 1);
  return follow && patches.length === expected ? patches : null;
}

function isPatch(value: unknown): value is StoredDelta {
  return deltaShape(value) === null;
}
