import { digestInParts } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';
import type { StoredResponse, ByteDelta } from '../contracts/response-store.ts';
import type { StoreName, Transaction } from './database.ts';
import { intactAnswer, intactBody, isSmall } from './response-record.ts';
import type { StoredAnswer } from './response-record.ts';
import { bytes, count, integer, list, object, ordinal, text } from '../../shared/shape.ts';

const deltaShape = object<StoredDelta>({
  key: text,
  n: ordinal,
  runs: list(integer),
  literal: bytes,
  size: count,
});

/** The stored bytes of an answer, as they were found. */
interface StoredBytes {
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
): Promise<{ readonly found: unknown; readonly bytes: StoredBytes }> {
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
  found: StoredBytes,
  system: Pick<System, 'digest' | 'pause'>,
): Promise<ArrayBuffer | null> {
  const body = answer.body ?? intactBody(answer.record, bodyOf(answer, found));
  if (body === null) return null;
  return (await digestInParts(new Uint8Array(body), system)) === answer.record.digest ? body : null;
}

/** What the bytes make together; null if they do not fit each other. */
function bodyOf({ log }: StoredAnswer, { body, patches }: StoredBytes): unknown {
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

type Bytes = Uint8Array<ArrayBuffer>;

/** Views of the snapshot and of literals that make up the whole, one after the other. */
interface Pieces {
  readonly views: readonly Bytes[];
  /** The offset of each view in the whole. */
  readonly starts: readonly number[];
  readonly size: number;
}

/** Beyond this many views, each further byte delta costs more than a copy of the whole. */
const MOST_VIEWS = 10_000;

/**
 * The bytes that the byte deltas, in their order, make of the snapshot; null if one does not fit. A byte delta only
 * rearranges views: otherwise a thousand of them would copy a large answer a thousand times.
 */
export function replay(snapshot: Bytes, changes: readonly ByteDelta[]): Bytes | null {
  let pieces = piecesOf([snapshot]);
  for (const change of changes) {
    const views = viewsAfter(pieces, change);
    if (views === null) return null;
    const next = piecesOf(views);
    if (next.size !== change.size) return null;
    pieces = views.length > MOST_VIEWS ? piecesOf([joined(next)]) : next;
  }
  return joined(pieces);
}

function viewsAfter(pieces: Pieces, { runs, literal }: ByteDelta): Bytes[] | null {
  const views: Bytes[] = [];
  let taken = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const [from = NaN, length = NaN] = [runs[index], runs[index + 1]];
    const isLiteral = from === -1;
    if (!isWithin(isLiteral ? taken : from, length, isLiteral ? literal.byteLength : pieces.size))
      return null;
    if (isLiteral) views.push(new Uint8Array(literal, taken, length));
    else pushRange(views, pieces, from, from + length);
    if (isLiteral) taken += length;
  }
  return taken === literal.byteLength ? views : null;
}

function isWithin(from: number, length: number, size: number): boolean {
  return (
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(length) &&
    from >= 0 &&
    length >= 0 &&
    from + length <= size
  );
}

/** Only the first and the last view of a range are cut; those between stay whole. */
function pushRange(views: Bytes[], { views: source, starts }: Pieces, from: number, to: number): void {
  for (let index = indexAt(starts, from); index < source.length; index += 1) {
    const [view, start] = [source[index], starts[index]];
    if (view === undefined || start === undefined || start >= to) return;
    const isWhole = from <= start && start + view.length <= to;
    views.push(isWhole ? view : view.subarray(Math.max(0, from - start), to - start));
  }
}

/** The index of the last of the ascending starts that is not after that offset. */
function indexAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low;
}

function piecesOf(views: readonly Bytes[]): Pieces {
  let size = 0;
  const starts = views.map(({ length }) => (size += length) - length);
  return { views, starts, size };
}

function joined({ views, starts, size }: Pieces): Bytes {
  const whole = new Uint8Array(size);
  for (const [index, view] of views.entries()) whole.set(view, starts[index]);
  return whole;
}
