import type { Document } from './container.ts';
import { PauseMeter } from '../platform/giving-way.ts';
import { RunsBuilder } from './byte-delta.ts';
import type { Runs } from './byte-delta.ts';

/** Least cost of a comparison, in bytes. */
const LEAST_WORK = 16;

/** Old members that are tried for one new one, so that a server that makes hashes collide gains nothing. */
const MOST_TRIES = 64;

const NONE = -1;

/** Cost of sorting in a member, in bytes. */
const WORK = 16;

/**
 * Finds for every member of `next` the one of `old` with the same bytes. Each old one is used once, so that rows stay
 * apart by identity. First compares what both begin and end with, then by hash what is between.
 */
export function* compare(old: Document, next: Document): Generator<void, Runs> {
  const same = new Sameness(old, next);
  const [oldCount, nextCount] = [old.table.count, next.table.count];
  const least = Math.min(oldCount, nextCount);
  const front = yield* countWhile(least, same, (index) => same.at(index, index));
  const back = yield* countWhile(least - front, same, (index) =>
    same.at(oldCount - 1 - index, nextCount - 1 - index),
  );
  const runs = new RunsBuilder();
  runs.copy(0, front);
  yield* between(same, [front, oldCount - back], [front, nextCount - back], runs);
  runs.copy(oldCount - back, back);
  return runs.runs;
}

function* countWhile(
  most: number,
  same: Sameness,
  holds: (index: number) => boolean,
): Generator<void, number> {
  const pace = new PauseMeter();
  let count = 0;
  while (count < most && holds(count)) {
    count += 1;
    if (pace.isDue(same.lastWork)) yield;
  }
  return count;
}

type Range = readonly [from: number, to: number];

function* between(same: Sameness, olds: Range, nexts: Range, runs: RunsBuilder): Generator<void, void> {
  const matching = new Matching(same, ...olds);
  yield* matching.prepare();
  const pace = new PauseMeter();
  for (let index = nexts[0]; index < nexts[1]; index += 1) {
    const match = matching.take(index);
    if (match === null) runs.add(1);
    else runs.copy(match, 1);
    if (pace.isDue(same.lastWork)) yield;
  }
}

/** Old members by hash. Each is handed out once, if possible in the order in which they follow each other. */
class Matching {
  readonly #same: Sameness;
  readonly #from: number;
  readonly #to: number;
  /** The first old member by the lowest bits of the hash, and for each member the next one with the same bits. */
  readonly #heads: Int32Array;
  readonly #links: Int32Array;
  readonly #taken: Uint8Array;
  #expected: number;
  #missed = 0;

  constructor(same: Sameness, from: number, to: number) {
    this.#same = same;
    this.#from = from;
    this.#to = to;
    this.#expected = from;
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(to - from + 1))).fill(NONE);
    this.#links = new Int32Array(to - from).fill(NONE);
    this.#taken = new Uint8Array(to - from);
  }

  /** Sorts in from the back, so that the first comes first. */
  *prepare(): Generator<void, void> {
    const pace = new PauseMeter();
    const { hashes } = this.#same.old.table;
    for (let index = this.#to - 1; index >= this.#from; index -= 1) {
      const bucket = this.#bucketOf(hashes[index]);
      this.#links[index - this.#from] = this.#heads[bucket] ?? NONE;
      this.#heads[bucket] = index;
      if (pace.isDue(WORK)) yield;
    }
  }

  /** The old member that equals the new one, or null. */
  take(nextIndex: number): number | null {
    const match = this.#follower(nextIndex) ?? this.#found(nextIndex);
    if (match === null) {
      this.#missed += 1;
      return null;
    }
    this.#taken[match - this.#from] = 1;
    this.#expected = match + 1;
    this.#missed = 0;
    return match;
  }

  /** The member after the last match, or the one that follows if each new member since then has replaced one. */
  #follower(nextIndex: number): number | null {
    for (const index of [this.#expected, this.#expected + this.#missed]) {
      if (index < this.#to && !this.#isTaken(index) && this.#same.at(index, nextIndex)) return index;
    }
    return null;
  }

  #found(nextIndex: number): number | null {
    const bucket = this.#bucketOf(this.#same.next.table.hashes[nextIndex]);
    let index = this.#heads[bucket] ?? NONE;
    while (index !== NONE && this.#isTaken(index)) index = this.#after(index);
    this.#heads[bucket] = index;
    for (let tries = 0; index !== NONE && tries < MOST_TRIES; tries += 1) {
      if (!this.#isTaken(index) && this.#same.at(index, nextIndex)) return index;
      index = this.#after(index);
    }
    return null;
  }

  #after(index: number): number {
    return this.#links[index - this.#from] ?? NONE;
  }

  #isTaken(index: number): boolean {
    return this.#taken[index - this.#from] === 1;
  }

  #bucketOf(hash = 0): number {
    return hash & (this.#heads.length - 1);
  }
}

/** Compares two members byte by byte. */
class Sameness {
  readonly old: Document;
  readonly next: Document;
  /** Cost of the last comparison, in bytes. */
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
