import type { ByteDelta } from '../contracts/byte-delta.ts';

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
