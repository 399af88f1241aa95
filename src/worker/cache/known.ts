import { LIMITS } from '../../shared/limits.ts';
import { isNewer } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** Bits of the filter: 128 KiB, whatever is stored. */
const BITS = 2 ** 20;

/** Bits that each key sets: of 65,536 keys, as many as the cache has room for, fewer than one in 100 others seem to be there. */
const MARKS = 5;

/** Keys after which the filter is made anew: about as many as are stored, and as many that may have gone since. */
const MOST_KEYS = 131_072;

/**
 * What this life of the worker last read or wrote of each answer, so that nobody waits for the database to learn it
 * again. Another engine may have written since: what is known says what was there, the database what is. It does not
 * grow with what is stored.
 */
export class Known {
  readonly #records = new RecentlyUsed<string, StoredResponse>(LIMITS.descriptions);
  /** The keys of all that is stored, at least, once they have been learned. */
  #keys = new KeyFilter();
  /** The filter that is being made, while it is. */
  #learning: KeyFilter | null = null;
  #isComplete = false;

  get(key: string): StoredResponse | null {
    return this.#records.get(key) ?? null;
  }

  /** Whether the keys that are stored are to be learned, for the first time or anew. */
  get isToLearn(): boolean {
    return this.#learning === null && (!this.#isComplete || this.#keys.size > MOST_KEYS);
  }

  /** All keys that are stored are to be put into this one; what is noted meanwhile is in it as well. */
  beginToLearn(): KeyFilter {
    this.#learning = new KeyFilter();
    return this.#learning;
  }

  /**
   * All are in it, or else not: what was known before then still holds. It is of no use where another has been begun since.
   */
  endLearning(learning: KeyFilter, isComplete: boolean): void {
    if (this.#learning !== learning) return;
    if (isComplete) [this.#keys, this.#isComplete] = [learning, true];
    this.#learning = null;
  }

  /** Whether nothing is stored under a key. */
  isAbsent(key: string): boolean {
    return this.#isComplete && !this.#keys.mayHave(key);
  }

  /** What was read or written may have been outrun by what is newer. */
  note(record: StoredResponse): void {
    const { key } = record;
    const known = this.#records.peek(key);
    if (!this.#keys.mayHave(key)) this.#keys.add(key);
    this.#learning?.add(key);
    if (!known || !isNewer(known.revision, record.revision)) this.#records.set(key, record);
  }

  /** The key may be stored all the same, as far as is known. */
  forget(key: string): void {
    this.#records.delete(key);
  }

  /** That revision is not stored, nor will be; what was noted since stays. */
  lose({ key, revision }: StoredResponse): void {
    const known = this.#records.peek(key);
    if (known && isSameRevision(known.revision, revision)) this.forget(key);
  }

  /** Their keys may be stored all the same, as far as is known. */
  forgetAll(): void {
    this.#records.clear();
  }
}

/**
 * Keys, of which it can be said that one is not among them, in room that does not grow: a Bloom filter. None is ever
 * taken out, so it is to be made anew once too many have been put in.
 */
export class KeyFilter {
  readonly #bits = new Uint32Array(BITS / 32);
  #size = 0;

  /** Keys that were put in, as often as they were. */
  get size(): number {
    return this.#size;
  }

  add(key: string): void {
    this.#size += 1;
    for (const bit of marksOf(key)) this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  /** False is certain, true is not. */
  mayHave(key: string): boolean {
    return marksOf(key).every((bit) => ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0);
  }
}

/** Two hashes make all marks (Kirsch and Mitzenmacher, 2006); each is FNV-1a with a seed of its own. */
function marksOf(key: string): number[] {
  const [first, second] = [hashOf(key, 0x811c9dc5), hashOf(key, 0x9747b28c) | 1];
  return Array.from({ length: MARKS }, (_, nth) => ((first + nth * second) >>> 0) % BITS);
}

function hashOf(key: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  // The last characters of a key alone would otherwise decide little of it.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca6b) >>> 0;
}
