/**
 * Requests that are out at a time. A browser has some hundred connections at most, and refuses requests beyond some
 * thousand that wait for one (Chromium: ERR_INSUFFICIENT_RESOURCES), as if the network had failed.
 */
const MOST = 256;

/** Lets so many do their work at a time; the others wait, first come, first served. */
export class Pool {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #working = 0;

  constructor(most: number = MOST) {
    this.#most = most;
  }

  /** Does the work when it is its turn, or at once when the signal aborts: the work then finds that out itself. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#most) await this.#turn(signal);
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#next();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(go);
      signal.addEventListener('abort', go);
    });
  }

  #next(): void {
    if (this.#working >= this.#most) return;
    const [first] = this.#waiting;
    first?.();
  }
}
