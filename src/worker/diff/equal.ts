import { STRIDE } from '../platform/pause-meter.ts';

/** Bytes that are compared at once. */
const WORD = 8;

/** Whether both are the same, byte by byte: 20 MB take some 5 ms, and ten times that until the engine has compiled this. */
export function* isEqual(one: Uint8Array, other: Uint8Array): Generator<void, boolean> {
  const { byteLength } = one;
  if (byteLength !== other.byteLength) return false;
  for (let start = 0; start < byteLength; start += STRIDE) {
    const end = Math.min(start + STRIDE, byteLength);
    if (!isEqualBetween(start, end, one, other)) return false;
    yield;
  }
  return true;
}

function isEqualBetween(start: number, end: number, one: Uint8Array, other: Uint8Array): boolean {
  const words = Math.floor((end - start) / WORD);
  const [a, b] = [wordsOf(one, start, words), wordsOf(other, start, words)];
  for (let index = 0; index < words; index += 1) {
    if (a[index] !== b[index]) return false;
  }
  for (let index = start + words * WORD; index < end; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}

/** NaN is no equal of itself, so words are integers. */
function wordsOf({ buffer, byteOffset }: Uint8Array, start: number, count: number): BigUint64Array {
  return new BigUint64Array(buffer, byteOffset + start, count);
}
