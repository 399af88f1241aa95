/** Levels of JSON: a browser cannot copy a value to a page that is nested some thousands deep. */
export const MOST_DEEP = 1_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENS, CLOSES] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** Whether JSON is nested deeper than can be told. Of what is no JSON it says nothing. */
export function isTooDeep(text: ArrayBuffer): boolean {
  const bytes = new Uint8Array(text);
  // No shorter text is so deep.
  if (bytes.length <= MOST_DEEP) return false;
  let depth = 0;
  for (let at = 0; at < bytes.length && depth <= MOST_DEEP; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPENS.has(byte)) depth += 1;
    else if (CLOSES.has(byte)) depth -= 1;
  }
  return depth > MOST_DEEP;
}

/** Where the quote is that ends a string. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
