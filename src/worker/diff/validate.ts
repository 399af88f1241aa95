import { unreachable } from '../../shared/unreachable.ts';
import type { Document } from './container.ts';
import { scan } from './scan.ts';
import { parse, textOf } from './walk.ts';
import { STRIDE } from '../platform/giving-way.ts';

/** Reads a body and proves every member. Null if it is not JSON or not worth comparing: JSON.parse has to say which. */
export function* readDocument(
  bytes: Uint8Array,
  hint: readonly string[] | null = null,
): Generator<void, Document | null> {
  const document = yield* scan(bytes, hint);
  return document && (yield* validate(document)) ? document : null;
}

/** Proves that all members are JSON, and that those of an object have different names. */
export function* validate(document: Document): Generator<void, boolean> {
  return yield* new Proof(document).of(0, document.table.count);
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
