/**
 * The parts of JSON's grammar (RFC 8259) that are read from bytes. All of them are ASCII, and in UTF-8 an ASCII byte
 * ends whatever came before it, valid or not: text that is cut beside one decodes in parts as it does as a whole.
 */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const LIST_OPENS = 0x5b;
export const LIST_CLOSES = 0x5d;
export const MAP_OPENS = 0x7b;
export const MAP_CLOSES = 0x7d;
/** Set in braces only: with it, `[` becomes `{`, and `]` becomes `}`. */
export const BRACE_BIT = 0x20;

export function pastSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The end of the text between `least` and `end`, without white space at its end. */
export function beforeSpace(bytes: Uint8Array, least: number, end: number): number {
  let at = end;
  while (at > least && isSpace(bytes[at - 1])) at -= 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The start of the text: a page's decoder leaves out one byte order mark. */
export function pastMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** A mark anywhere but at the beginning is a character, and not JSON. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** The value of a text; undefined, which is no JSON value, if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
