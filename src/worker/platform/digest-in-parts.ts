import type { System } from './system.ts';

/** Bytes that are digested between two pauses: some milliseconds, and not every browser does it on another thread. */
export const PART = 2_097_152;

/** What tells a body from others: the digest of a short one, of a long one that of the digests of its parts. */
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
