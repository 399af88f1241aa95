import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Arrangement, Chunks } from '../contracts/read-body.ts';
import type { Document } from './container.ts';
import { textOf } from './walk.ts';
import { PauseMeter } from '../platform/giving-way.ts';
import { envelopeText } from './scan.ts';

/** Comparisons between two pauses. */
const STRETCH = 1_024;

/** The numbers of the rows that an arrangement keeps, in its order. Throws what its functions throw. */
export function* arrange(
  { bytes, table }: Document,
  { keep, compare }: Arrangement,
): Generator<void, Uint32Array> {
  const numbers = new Uint32Array(table.count);
  const rows: unknown[] = [];
  const pace = new PauseMeter();
  let count = 0;
  for (let index = 0; index < table.count; index += 1) {
    const [start, end] = [table.starts[index] ?? 0, table.ends[index] ?? 0];
    if (pace.isDue(end - start)) yield;
    const row: unknown = JSON.parse(textOf(bytes, start, end));
    if (keep && !keep(row)) continue;
    numbers[count] = index;
    if (compare) rows.push(row);
    count += 1;
  }
  const kept = numbers.slice(0, count);
  if (!compare) return kept;
  const order = yield* sort(rows, compare);
  return order.map((at) => kept[at] ?? 0);
}

/** The indexes of rows in the order of `compare`: a stable merge sort, since `Array.prototype.sort` cannot pause. */
export function* sort<Row>(
  rows: readonly Row[],
  compare: (one: Row, other: Row) => number,
): Generator<void, Uint32Array> {
  const { length } = rows;
  let from = Uint32Array.from({ length }, (_, at) => at);
  let to = new Uint32Array(length);
  let left = STRETCH;
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(start + 2 * run, length);
      let [one, other] = [start, middle];
      for (let at = start; at < end; at += 1) {
        const takesOther = one >= middle || (other < end && isAfter(rows, from, one, other, compare));
        to[at] = from[takesOther ? other : one] ?? 0;
        if (takesOther) other += 1;
        else one += 1;
        left -= 1;
        if (left > 0) continue;
        left = STRETCH;
        yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function isAfter<Row>(
  rows: readonly Row[],
  places: Uint32Array,
  one: number,
  other: number,
  compare: (one: Row, other: Row) => number,
): boolean {
  const [first, second] = [rows[places[one] ?? 0], rows[places[other] ?? 0]];
  return first !== undefined && second !== undefined && compare(first, second) > 0;
}

/** The orders in which lists are looked at, so that scrolling does not sort again. */
export class Orders {
  readonly #orders = new RecentlyUsed<string, Promise<Uint32Array>>(LIMITS.arrangements);

  /** Rejects as `make` does, and then does not keep it. */
  get(key: string, make: () => Promise<Uint32Array>): Promise<Uint32Array> {
    return this.#orders.get(key) ?? this.#make(key, make);
  }

  delete(key: string): void {
    this.#orders.delete(key);
  }

  clear(): void {
    this.#orders.clear();
  }

  #make(key: string, make: () => Promise<Uint32Array>): Promise<Uint32Array> {
    const order = make();
    this.#orders.set(key, order);
    order.catch(() => this.delete(key));
    return order;
  }
}

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
