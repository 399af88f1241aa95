import type { Container } from './container.ts';

/** A JSON body and where the members lie by which it is compared with the next. */
export interface Document extends Container {
  readonly bytes: Uint8Array;
  /** The keys that lead to the container; [] where it is the whole body. */
  readonly path: readonly string[];
}

/** Bytes that a document takes in memory. */
export function sizeOf({ bytes, table }: Document): number {
  return bytes.byteLength + table.starts.byteLength + table.ends.byteLength + table.hashes.byteLength;
}

export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
