import type { Chunks } from '../contracts/read-body.ts';
import type { Document } from './container.ts';
import { envelopeText } from './scan.ts';
import { textOf } from './walk.ts';

/** True if a body is worth telling in chunks of that size. */
export function isLong(bytes: { readonly byteLength: number }, size: number): boolean {
  return bytes.byteLength > size;
}

/** The list of a document in chunks of at most `size` bytes, or of one row; null if it is short or not a list. */
export function chunksOf(document: Document, size: number): Chunks | null {
  const isApt = document.kind === 'list' && document.table.count > 1 && isLong(document.bytes, size);
  return isApt ? new ListChunks(document, size) : null;
}

class ListChunks implements Chunks {
  readonly #document: Document;
  readonly #size: number;
  /** The first row of each chunk, and the end of the last; null until it is asked for, which is rare. */
  #rows: readonly number[] | null = null;

  constructor(document: Document, size: number) {
    this.#document = document;
    this.#size = size;
  }

  get path(): readonly string[] {
    return this.#document.path;
  }

  get count(): number {
    return this.#cuts.length - 1;
  }

  get envelope(): string {
    return envelopeText(this.#document);
  }

  text(index: number): string {
    const [from = 0, to = 0] = this.#cuts.slice(index, index + 2);
    return rowsText(this.#document, from, to - from);
  }

  get #cuts(): readonly number[] {
    this.#rows ??= cuts(this.#document, this.#size);
    return this.#rows;
  }
}

function cuts({ table: { count, starts, ends } }: Document, size: number): readonly number[] {
  const rows = [0];
  let start = starts[0] ?? 0;
  for (let row = 1; row < count; row += 1) {
    if ((ends[row] ?? 0) - start <= size) continue;
    rows.push(row);
    start = starts[row] ?? 0;
  }
  return [...rows, count];
}

/** Rows of a list as JSON, cut from its bytes. */
export function rowsText({ bytes, table }: Document, start: number, count: number): string {
  const from = Math.min(start, table.count);
  const to = Math.min(from + count, table.count);
  if (from === to) return '[]';
  return `[${textOf(bytes, table.starts[from] ?? 0, table.ends[to - 1] ?? 0)}]`;
}

/** The same for rows in an order of their own. */
export function arrangedText(
  { bytes, table }: Document,
  order: Uint32Array,
  start: number,
  count: number,
): string {
  const numbers = Array.from(order.subarray(start, start + count));
  const texts = numbers.map((row) => textOf(bytes, table.starts[row] ?? 0, table.ends[row] ?? 0));
  return `[${texts.join(',')}]`;
}
