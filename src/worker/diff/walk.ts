import {
  BACKSLASH,
  BRACE_BIT,
  COMMA,
  MAP_CLOSES,
  MAP_OPENS,
  QUOTE,
  COLON,
  parse,
  pastSpace,
  textOf,
} from './grammar.ts';

/**
 * Goes over the members of a list or object, as far at a time as it is let. It only counts brackets and leaves out
 * strings: whether a member is JSON is for JSON.parse to say, and if it is, its brackets and strings are these.
 */
export class Walk {
  at: number;
  readonly #bytes: Uint8Array;
  #depth = 0;
  #inString = false;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /**
   * Moves to the comma or bracket that ends the member at hand, or past the last byte where nothing ends it. False
   * where `limit` came first: the next call goes on from there.
   */
  toMemberEnd(limit: number): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(limit, bytes.length);
    let [at, depth] = [this.at, this.#depth];
    if (this.#inString) at = this.#pastString(at, stop);
    while (at < stop) {
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === QUOTE) {
        at = this.#pastString(at, stop);
      } else if (byte === COMMA) {
        if (depth === 0) return this.#endAt(at - 1);
      } else if ((byte | BRACE_BIT) === MAP_OPENS) {
        depth += 1;
      } else if ((byte | BRACE_BIT) === MAP_CLOSES) {
        if (depth === 0) return this.#endAt(at - 1);
        depth -= 1;
      }
    }
    this.at = at;
    this.#depth = depth;
    return at >= bytes.length;
  }

  /** `at` lies inside of a string. */
  #pastString(from: number, stop: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < stop) {
      const byte = bytes[at];
      at += 1;
      if (byte === QUOTE) {
        this.#inString = false;
        return at;
      }
      if (byte === BACKSLASH) at += 1;
    }
    this.#inString = true;
    return at;
  }

  #endAt(at: number): true {
    this.at = at;
    this.#depth = 0;
    return true;
  }
}

/** Where the key ends that an object's member begins with, its quotes included; null where there is none. */
export function keyEnd(bytes: Uint8Array, start: number): number | null {
  if (bytes[start] !== QUOTE) return null;
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at < bytes.length ? at + 1 : null;
}

/** Where the value begins whose key ends at `end`; null where no colon stands between. */
export function valueStart(bytes: Uint8Array, end: number): number | null {
  const colon = pastSpace(bytes, end);
  return bytes[colon] === COLON ? pastSpace(bytes, colon + 1) : null;
}

/** What a key means; null where it is no JSON. */
export function keyText(bytes: Uint8Array, start: number, end: number): string | null {
  const text = textOf(bytes, start, end);
  const key = text.includes('\\') ? parse(text) : text.slice(1, -1);
  return typeof key === 'string' ? key : null;
}
