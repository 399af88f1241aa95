/** Chance that can be repeated: the same seed gives the same numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 inclusive to 1 exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to below `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws RangeError where there is nothing to choose from. */
  one<T>(choices: readonly T[]): T {
    const chosen = choices[this.between(0, choices.length)];
    if (chosen === undefined) throw new RangeError('There is nothing to choose from');
    return chosen;
  }
}
