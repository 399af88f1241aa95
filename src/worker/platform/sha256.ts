import type { System } from './system.ts';

/** Bytes that are digested between two pauses: some milliseconds of work, in some browsers on this very thread. */
export const PART = 2_097_152;

/** SHA-256 (FIPS 180-4) for pages without `crypto.subtle`: those that came over plain http. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
  const constants = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
  const schedule = new Uint32Array(64);
  const message = padded(bytes);
  for (let at = 0; at < message.byteLength; at += 64) {
    expand(schedule, message, at);
    compress(state, schedule, constants);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

/** Section 5.1.1: a one, zeros, and the length in bits as 64 of them. */
function padded(bytes: Uint8Array): DataView {
  const view = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(view.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(view.byteLength - 4, (bytes.length * 8) >>> 0);
  return view;
}

/** Section 6.2.2, step 1. */
function expand(schedule: Uint32Array, message: DataView, at: number): void {
  const word = (index: number): number => schedule[index] ?? 0;
  for (let index = 0; index < 64; index += 1) {
    const [near, far] = [word(index - 2), word(index - 15)];
    schedule[index] =
      index < 16
        ? message.getUint32(at + index * 4)
        : (turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)) +
          word(index - 7) +
          (turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)) +
          word(index - 16);
  }
}

/** Section 6.2.2, steps 2 to 4. */
function compress(state: Uint32Array, schedule: Uint32Array, constants: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [index, word] of schedule.entries()) {
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g));
    const first = (one + (constants[index] ?? 0) + word) | 0;
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits after the point. */
function fraction(root: number): number {
  return (root - Math.floor(root)) * 2 ** 32;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each += 1) {
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  }
  return found;
}

/** Identifies a body: the digest of a short one, or of a long one the digest of its parts' digests. */
export async function digestInParts(
  bytes: Uint8Array<ArrayBuffer>,
  { digest, pause }: Pick<System, 'digest' | 'pause'>,
): Promise<string> {
  if (bytes.byteLength <= PART) return digest(bytes);
  const parts: string[] = [];
  for (let start = 0; start < bytes.byteLength; start += PART) {
    await pause();
    parts.push(await digest(bytes.subarray(start, start + PART)));
  }
  return digest(new TextEncoder().encode(parts.join()));
}

/** A digest of a text that may hold secrets. Nobody can guess the text without the salt (invariant 14). */
export function saltedDigest(
  { digest }: Pick<System, 'digest'>,
  salt: string,
  text: string,
): Promise<string> {
  return digest(new TextEncoder().encode(salt + text));
}
