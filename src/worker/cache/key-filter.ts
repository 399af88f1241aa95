/** Bits of the filter: 128 KiB, whatever is stored. */
const BITS = 2 ** 20;

/** Bits that each key sets: of 65,536 keys, as many as the cache has room for, fewer than one in 100 others seem to be there. */
const MARKS = 5;

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
