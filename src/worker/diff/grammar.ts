/**
 * What of JSON's grammar (RFC 8259) is read from bytes. All of it is ASCII, and in UTF-8 an ASCII byte ends whatever
 * came before it, be that valid or not: text that is cut beside one decodes in parts to what it decodes to as a whole.
 */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const LIST_OPENS = 0x5b;
export const LIST_CLOSES = 0x5d;
export const MAP_OPENS = 0x7b;
export const MAP_CLOSES = 0x7d;
/** Set in braces only: with it `[` is `{`, and `]` is `}`. */
export const BRACE_BIT = 0x20;

export function pastSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The end of what begins at `least` and ends before the white space in front of `end`. */
export function beforeSpace(bytes: Uint8Array, least: number, end: number): number {
  let at = end;
  while (at > least && isSpace(bytes[at - 1])) at -= 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Where the text begins: a page's decoder leaves out one byte order mark. */
export function pastMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** A mark anywhere but at the beginning is a character, and no JSON. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** What a text means; undefined, which no JSON means, where it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
