/** Work that a transaction waits for; `hand` gives its result, or its error, to whoever asked for it. */
interface Step {
  readonly fail: (error: unknown) => void;
  hand: (() => void) | null;
}

/**
 * Keeps a transaction open for work outside of the database. It would end as soon as nothing is asked of it, so it is
 * asked for something small until the work is done. Results are handed out while it takes requests, in the order in
 * which the work was given.
 */
export class KeptOpen {
  readonly #ask: () => Promise<unknown>;
  readonly #steps: Step[] = [];
  #isAsking = false;

  /** `ask` makes the smallest request of the transaction. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  /** Resolves after all work that was given before. */
  turn(): Promise<void> {
    return this.#steps.length === 0 ? Promise.resolve() : this.until(Promise.resolve());
  }

  /** Rejects with what the work rejects with, and when the transaction has ended before it is done. */
  until<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const step: Step = { fail: reject, hand: null };
      work.then(
        (result) => (step.hand = () => resolve(result)),
        (error: unknown) => (step.hand = () => reject(error)),
      );
      this.#steps.push(step);
      if (!this.#isAsking) void this.#keep();
    });
  }

  async #keep(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#steps.length > 0) {
        await this.#ask();
        this.#handOut();
      }
    } catch (error) {
      for (const { fail } of this.#steps.splice(0)) fail(error);
    }
    this.#isAsking = false;
  }

  #handOut(): void {
    const waiting = this.#steps.findIndex(({ hand }) => hand === null);
    for (const { hand } of this.#steps.splice(0, waiting < 0 ? this.#steps.length : waiting)) hand?.();
  }
}
