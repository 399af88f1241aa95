import { LIMITS } from '../../shared/limits.ts';

/** One answer on its way in. */
export interface Reader {
  take(bytes: number): void;
  /** Aborts when it is to be given up at once, for it takes too much of what all may have. */
  readonly evicted: AbortSignal;
  /** It is read, or given up. */
  leave(): void;
}

/** The memory of all answers that are being read. Where they take too much together, the largest is given up. */
export class ReadingRoom {
  readonly #most: number;
  /** Bytes of each. */
  readonly #sizes = new Map<AbortController, number>();
  #total = 0;

  /** `most` in bytes. */
  constructor(most: number = LIMITS.answersSize) {
    this.#most = most;
  }

  enter(): Reader {
    const place = new AbortController();
    return {
      evicted: place.signal,
      take: (bytes) => {
        if (place.signal.aborted) return;
        this.#total += bytes;
        this.#sizes.set(place, (this.#sizes.get(place) ?? 0) + bytes);
        if (this.#total > this.#most) this.#evictLargest();
      },
      leave: () => this.#forget(place),
    };
  }

  #evictLargest(): void {
    const [largest] = [...this.#sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#forget(largest);
    largest.abort();
  }

  #forget(place: AbortController): void {
    this.#total -= this.#sizes.get(place) ?? 0;
    this.#sizes.delete(place);
  }
}
