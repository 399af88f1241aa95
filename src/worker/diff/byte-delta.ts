import type { ByteDelta } from '../contracts/response-store.ts';
import type { Document } from './container.ts';
import { PauseMeter, STRIDE } from '../platform/giving-way.ts';

/** Bytes that are compared at once. */
const WORD = 8;

/** Cost of copying a member, in bytes. */
const WORK = 16;

/** Makes the byte delta from `old` to `next`; `runs` tell which members are the same. */
export function* makeByteDelta(old: Document, next: Document, runs: Runs): Generator<void, ByteDelta> {
  const splice = new Splice(old.bytes, next.bytes);
  const pace = new PauseMeter();
  for (const { from, count, to } of eachRun(runs)) {
    if (from === null) continue;
    for (let member = 0; member < count; member += 1) {
      const start = old.table.starts[from + member] ?? 0;
      splice.between(start, next.table.starts[to + member] ?? 0);
      splice.copy(start, (old.table.ends[from + member] ?? 0) - start);
      if (pace.isDue(WORK)) yield;
    }
  }
  splice.between(old.bytes.length, next.bytes.length);
  return splice.finish();
}

/** Writes the new bytes from front to back, by copies of old bytes where possible. */
class Splice {
  readonly #old: Uint8Array;
  readonly #next: Uint8Array;
  readonly #runs: number[] = [];
  readonly #literals: Uint8Array[] = [];
  /** Where the last copy ended, and how much is written. */
  #oldAt = 0;
  #nextAt = 0;

  constructor(old: Uint8Array, next: Uint8Array) {
    this.#old = old;
    this.#next = next;
  }

  copy(from: number, length: number): void {
    const [last = -1, lastLength = 0] = this.#runs.slice(-2);
    if (last >= 0 && last + lastLength === from) this.#runs[this.#runs.length - 1] = lastLength + length;
    else if (length > 0) this.#runs.push(from, length);
    this.#oldAt = from + length;
    this.#nextAt += length;
  }

  /** Writes up to `nextTo`, where a copy from `oldTo` begins. Bytes that continue a copy need no run of their own. */
  between(oldTo: number, nextTo: number): void {
    this.copy(this.#oldAt, this.#alike(nextTo - this.#nextAt));
    const back = this.#alikeBefore(oldTo, nextTo);
    this.#write(nextTo - back);
    if (back > 0) this.copy(oldTo - back, back);
  }

  finish(): ByteDelta {
    const size = this.#literals.reduce((sum, { length }) => sum + length, 0);
    const literal = new Uint8Array(size);
    let at = 0;
    for (const piece of this.#literals) {
      literal.set(piece, at);
      at += piece.length;
    }
    return { runs: this.#runs, literal: literal.buffer, size: this.#next.length };
  }

  #write(to: number): void {
    if (to === this.#nextAt) return;
    this.#runs.push(-1, to - this.#nextAt);
    this.#literals.push(this.#next.subarray(this.#nextAt, to));
    this.#nextAt = to;
  }

  #alike(most: number): number {
    let length = 0;
    while (length < most && this.#old[this.#oldAt + length] === this.#next[this.#nextAt + length])
      length += 1;
    return length;
  }

  #alikeBefore(oldTo: number, nextTo: number): number {
    const most = Math.min(oldTo, nextTo - this.#nextAt);
    let length = 0;
    while (length < most && this.#old[oldTo - 1 - length] === this.#next[nextTo - 1 - length]) length += 1;
    return length;
  }
}

/** True if both are equal: 20 MB take some 5 ms, and ten times that until the engine has compiled this. */
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

/** The words are integers, since NaN does not equal itself. */
function wordsOf({ buffer, byteOffset }: Uint8Array, start: number, count: number): BigUint64Array {
  return new BigUint64Array(buffer, byteOffset + start, count);
}

/** Pairs of `from` and `count`: that many old members from index `from` or, if it is -1, that many new ones. */
export type Runs = readonly number[];

const NEW = -1;

export class RunsBuilder {
  readonly runs: number[] = [];

  /** Joins runs that follow each other. */
  copy(from: number, count: number): void {
    this.#add(from, count, (last, length) => last >= 0 && last + length === from);
  }

  add(count: number): void {
    this.#add(NEW, count, (last) => last === NEW);
  }

  #add(from: number, count: number, continues: (last: number, length: number) => boolean): void {
    if (count === 0) return;
    const { runs } = this;
    const [last, length = 0] = runs.slice(-2);
    if (last !== undefined && continues(last, length)) runs[runs.length - 1] = length + count;
    else runs.push(from, count);
  }
}

/** Every run with the index of its first member in the new container; `from` is null for new members. */
export function* eachRun(
  runs: Runs,
): Generator<{ readonly from: number | null; readonly count: number; readonly to: number }, void> {
  let to = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const [from = NEW, count = 0] = [runs[index], runs[index + 1]];
    yield { from: from === NEW ? null : from, count, to };
    to += count;
  }
}
