import { LIMITS } from '../../shared/limits.ts';

/** Fewest answers of a transaction, where more wait. */
const FEWEST = 8;

/** Milliseconds that a transaction should take: a page that reads waits for one, and shares the processor with it. */
const LONG = 32;
const SHORT = 16;

/** Milliseconds after which a transaction of twice as many answers might be late: none of them would be stored then. */
const TOO_LONG: number = LIMITS.transaction / 3;

/** A transaction that has ended. */
export interface Ended {
  readonly written: number;
  /** Answers that wait still. */
  readonly left: number;
  /** Milliseconds; Infinity if it was late. */
  readonly took: number;
}

/** How many answers the next transaction writes: as few as leave pages their time, and many while many come. */
export class BatchSize {
  #most: number = LIMITS.written;
  /** Answers that came to be written since the last transaction had ended. */
  #came = 0;

  get most(): number {
    return this.#most;
  }

  /** One more answer is to be written. */
  count(): void {
    this.#came += 1;
  }

  heed({ written, left, took }: Ended): void {
    const areMany = left > written && this.#came * 2 > written;
    this.#came = 0;
    if (areMany && took <= TOO_LONG) this.#most = Math.min(this.#most * 2, LIMITS.writtenOfMany);
    else if (areMany && took <= 2 * TOO_LONG) return;
    else if (took > LONG) this.#most = Math.max(this.#most / 2, FEWEST);
    else if (took < SHORT) this.#most = Math.min(this.#most * 2, LIMITS.written);
    else this.#most = Math.min(this.#most, LIMITS.written);
  }
}
