import { PauseMeter } from '../platform/pause-meter.ts';
import type { Sameness } from './sameness.ts';

/** Old members that are looked at for one new one: a server that makes hashes collide gains nothing by it. */
const MOST_TRIES = 64;
const NONE = -1;
/** What it costs to sort in a member, in bytes. */
const WORK = 16;

/** Old members by hash. Each is handed out once, and where it can be, the one after the last. */
export class Matching {
  readonly #same: Sameness;
  readonly #from: number;
  readonly #to: number;
  /** By the hash's lowest bits the first old member, and for every one the next of the same bits. */
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

  /** The old member that the next new one is, or null. */
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

  /** What came after the last match, or would if the new ones since then have each replaced one. */
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
