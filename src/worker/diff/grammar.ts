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
