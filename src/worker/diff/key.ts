import { BACKSLASH, COLON, parse, pastSpace, QUOTE, textOf } from './grammar.ts';

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
