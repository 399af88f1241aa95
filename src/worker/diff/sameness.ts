import type { Document } from './document.ts';

/** What a comparison costs before it comes to bytes, in bytes. */
const LEAST_WORK = 16;

/** Whether two members are the same, byte by byte. */
export class Sameness {
  readonly old: Document;
  readonly next: Document;
  /** What the last comparison cost, in bytes. */
  lastWork: number = LEAST_WORK;

  constructor(old: Document, next: Document) {
    this.old = old;
    this.next = next;
  }

  at(oldIndex: number, nextIndex: number): boolean {
    const [old, next] = [this.old.table, this.next.table];
    this.lastWork = LEAST_WORK;
    if (old.hashes[oldIndex] !== next.hashes[nextIndex]) return false;
    const [oldStart = 0, nextStart = 0] = [old.starts[oldIndex], next.starts[nextIndex]];
    const length = (old.ends[oldIndex] ?? 0) - oldStart;
    if (length !== (next.ends[nextIndex] ?? 0) - nextStart) return false;
    this.lastWork += length;
    return sameBytes(this.old.bytes, oldStart, this.next.bytes, nextStart, length);
  }
}

function sameBytes(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): boolean {
  for (let index = 0; index < length; index += 1) {
    if (a[aStart + index] !== b[bStart + index]) return false;
  }
  return true;
}
