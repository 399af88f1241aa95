/** Wakes all who wait for something to change, in the order in which they came. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Resolves when it is rung next, or the signal aborts. */
  heard(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  ring(): void {
    for (const wake of this.#waiting) wake();
  }
}
