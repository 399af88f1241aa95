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
 * Goes over the members of a list or object, up to a limit at a time. It only counts brackets and skips strings:
 * JSON.parse decides if a member is JSON, and if it is, its brackets and strings are these.
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

  /** Moves to the comma or bracket that ends the member, or past the end. False if `limit` came first: call again. */
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

  /** `from` is inside a string. */
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

/** The end of the key, quotes included, that an object's member begins with; null if there is none. */
export function keyEnd(bytes: Uint8Array, start: number): number | null {
  if (bytes[start] !== QUOTE) return null;
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at < bytes.length ? at + 1 : null;
}

/** The start of the value whose key ends at `end`; null if there is no colon between. */
export function valueStart(bytes: Uint8Array, end: number): number | null {
  const colon = pastSpace(bytes, end);
  return bytes[colon] === COLON ? pastSpace(bytes, colon + 1) : null;
}

/** The meaning of a key; null if it is not JSON. */
export function keyText(bytes: Uint8Array, start: number, end: number): string | null {
  const text = textOf(bytes, start, end);
  const key = text.includes('\\') ? parse(text) : text.slice(1, -1);
  return typeof key === 'string' ? key : null;
}
