import { unreachable } from '../../shared/unreachable.ts';
import type { TakeEarly } from '../contracts/read-body.ts';
import type { Document, RowWatch } from './container.ts';
import { scan } from './scan.ts';
import { parse, textOf } from './walk.ts';
import { STRIDE } from '../platform/giving-way.ts';

/** Reads a body and proves every member. Null if it is not JSON or not worth comparing: JSON.parse has to say which. */
export function* readDocument(
  bytes: Uint8Array,
  hint: readonly string[] | null = null,
  early: EarlyRows | null = null,
): Generator<void, Document | null> {
  const document = yield* scan(bytes, hint, early);
  return document && (yield* validate(document, early?.proven)) ? document : null;
}

/** Proves that all members are JSON, those of a list from row `from` on, and that those of an object have different names. */
export function* validate(document: Document, from = 0): Generator<void, boolean> {
  return yield* new Proof(document).of(from, document.table.count - from);
}

/** Parses members, as many at a time as make a stride. A longer member is parsed at once. */
export class Proof {
  /** The names of an object's members by their meaning, however they are written. */
  readonly names: Set<string> = new Set();
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** True if `count` members from `from` on are JSON; `take` gets their text, piece by piece, without brackets. */
  *of(from: number, count: number, take: (text: string) => void = () => {}): Generator<void, boolean> {
    const { bytes, table } = this.#document;
    const to = from + count;
    for (let first = from; first < to;) {
      const start = table.starts[first] ?? 0;
      let last = first;
      while (last + 1 < to && (table.ends[last + 1] ?? 0) - start <= STRIDE) last += 1;
      const text = textOf(bytes, start, table.ends[last] ?? 0);
      if (!this.#holds(text, last + 1 - first)) return false;
      take(text);
      first = last + 1;
      yield;
    }
    return true;
  }

  #holds(text: string, count: number): boolean {
    switch (this.#document.kind) {
      case 'list':
        return parse(`[${text}]`) !== undefined;
      case 'map': {
        const members = parse(`{${text}}`);
        if (members === undefined) return false;
        const size = this.names.size + count;
        for (const name of Object.keys(Object(members))) this.names.add(name);
        return this.names.size === size;
      }
      default:
        return unreachable(this.#document.kind);
    }
  }
}

/**
 * Proves the rows of a list while the list is being scanned, and tells them in the chunks that `chunksOf` makes of it
 * afterwards: a page parses the first while the worker reads the last. Whether what is around the rows is JSON shows at the
 * end, so the outcome alone says that there is such an answer.
 */
export class EarlyRows implements RowWatch {
  readonly #bytes: Uint8Array;
  readonly #size: number;
  readonly #take: TakeEarly;
  #path: readonly string[] = [];
  /** Rows that are proven, from the first on. */
  #proven = 0;
  #rows = 0;
  /** Where the first row begins that is not proven yet. */
  #unproven: number | null = null;
  /** Where the chunk begins whose rows come now. */
  #start: number | null = null;
  #end = 0;
  #chunks = 0;
  #isOver = false;

  /** `size`: bytes of a chunk. */
  constructor(bytes: Uint8Array, size: number, take: TakeEarly) {
    this.#bytes = bytes;
    this.#size = size;
    this.#take = take;
  }

  begin(path: readonly string[]): void {
    this.#path = [...path];
  }

  add(start: number, end: number): boolean {
    if (this.#isOver) return false;
    this.#start ??= start;
    this.#unproven ??= start;
    const isFull = this.#rows > 0 && end - this.#start > this.#size;
    const isDue = this.#rows > this.#proven && end - this.#unproven > STRIDE;
    if (isFull || isDue) this.#prove(start);
    if (isFull && !this.#isOver) this.#tell(start);
    this.#rows += 1;
    this.#end = end;
    return isFull || isDue;
  }

  /** Rows that need no other proof. */
  get proven(): number {
    return this.#proven;
  }

  /** Proves all rows before the one at `next`. */
  #prove(next: number): void {
    if (this.#rows > this.#proven) {
      const text = textOf(this.#bytes, this.#unproven ?? next, this.#end);
      if (parse(`[${text}]`) === undefined) {
        this.#isOver = true;
        return;
      }
    }
    this.#proven = this.#rows;
    this.#unproven = next;
  }

  #tell(next: number): void {
    const [bytes, start, end] = [this.#bytes, this.#start ?? next, this.#end];
    const text = (): string => `[${textOf(bytes, start, end)}]`;
    this.#take({ bytes: bytes.buffer, index: this.#chunks, path: this.#path, text });
    this.#chunks += 1;
    this.#start = next;
  }
}
