import { LIMITS } from '../../shared/limits.ts';
import { isNewer, isSameRevision } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** Bits of the filter: 128 KiB, whatever is stored. */
const BITS = 2 ** 20;

/** Bits that each key sets. Of 65,536 keys, as many as the cache has room for, under 1 in 100 others seem present. */
const MARKS = 5;

/** Keys after which the filter is made anew: about as many as are stored, and as many that may have gone since. */
const MOST_KEYS = 131_072;

/**
 * Keeps what this worker instance last read or wrote of each answer, so that no request waits for the database to learn
 * it again. Another engine may have written since: only the database knows what is stored. Its size is bounded.
 */
export class Known {
  readonly #records = new RecentlyUsed<string, StoredResponse>(LIMITS.descriptions);
  /** At least the keys of all that is stored, once they have been learned. */
  #keys = new KeyFilter();
  /** The filter that is being made; null if none is. */
  #learning: KeyFilter | null = null;
  #isComplete = false;

  get(key: string): StoredResponse | null {
    return this.#records.get(key) ?? null;
  }

  /** The keys of what it has that begin with this. */
  within(prefix: string): readonly string[] {
    return this.#records.keys().filter((key) => key.startsWith(prefix));
  }

  /** True if the stored keys must be learned, for the first time or anew. */
  get isToLearn(): boolean {
    return this.#learning === null && (!this.#isComplete || this.#keys.size > MOST_KEYS);
  }

  /** The caller puts all stored keys into the result; keys that are noted meanwhile go into it too. */
  beginToLearn(): KeyFilter {
    this.#learning = new KeyFilter();
    return this.#learning;
  }

  /** `isComplete`: all keys are in it; else the filter from before stays. Ignored if another one was begun since. */
  endLearning(learning: KeyFilter, isComplete: boolean): void {
    if (this.#learning !== learning) return;
    if (isComplete) [this.#keys, this.#isComplete] = [learning, true];
    this.#learning = null;
  }

  /** True if nothing is stored under the key. */
  isAbsent(key: string): boolean {
    return this.#isComplete && !this.#keys.mayHave(key);
  }

  /** A newer record stays: what was read or written may be older than what was noted meanwhile. */
  note(record: StoredResponse): void {
    const { key } = record;
    const known = this.#records.peek(key);
    if (!this.#keys.mayHave(key)) this.#keys.add(key);
    this.#learning?.add(key);
    if (!known || !isNewer(known.revision, record.revision)) this.#records.set(key, record);
  }

  /** The key may still be stored, as far as is known. */
  forget(key: string): void {
    this.#records.delete(key);
  }

  /** That revision is not stored and will not be; what was noted since stays. */
  lose({ key, revision }: StoredResponse): void {
    const known = this.#records.peek(key);
    if (known && isSameRevision(known.revision, revision)) this.forget(key);
  }

  /** The keys may still be stored, as far as is known. */
  forgetAll(): void {
    this.#records.clear();
  }
}

/** A Bloom filter: tells for certain that a key is absent. It keeps all keys, so it is made anew when too full. */
export class KeyFilter {
  readonly #bits = new Uint32Array(BITS / 32);
  #size = 0;

  /** Keys that were put in; a key counts each time. */
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
  // Otherwise the last characters of a key would decide little of the hash.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca6b) >>> 0;
}
