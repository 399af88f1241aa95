import { LIMITS } from '../../shared/limits.ts';

/** One answer on its way in. */
export interface Reader {
  /** False where it is to be given up, for it takes too much of what all may have. */
  take(bytes: number): boolean;
  /** It is read, or given up. */
  leave(): void;
}

/** The memory of all answers that are being read. Where they take too much together, the largest is given up. */
export class ReadingRoom {
  readonly #most: number;
  /** Bytes of each. */
  readonly #sizes = new Map<Reader, number>();
  readonly #evicted = new WeakSet<Reader>();
  #total = 0;

  /** `most` in bytes. */
  constructor(most: number = LIMITS.answersSize) {
    this.#most = most;
  }

  enter(): Reader {
    const reader: Reader = {
      take: (bytes) => {
        if (this.#evicted.has(reader)) return false;
        this.#total += bytes;
        this.#sizes.set(reader, (this.#sizes.get(reader) ?? 0) + bytes);
        if (this.#total > this.#most) this.#evictLargest();
        return !this.#evicted.has(reader);
      },
      leave: () => this.#forget(reader),
    };
    return reader;
  }

  /** It learns of that with its next piece; what it has is counted no more. */
  #evictLargest(): void {
    const [largest] = [...this.#sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#evicted.add(largest);
    this.#forget(largest);
  }

  #forget(reader: Reader): void {
    this.#total -= this.#sizes.get(reader) ?? 0;
    this.#sizes.delete(reader);
  }
}
