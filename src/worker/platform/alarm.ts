import type { Clock } from './system.ts';

/** A sleep that can be cut short, so that whoever changes a due time need not know who waits for it. */
export class Alarm {
  readonly #clock: Clock;
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when it is rung next. */
  get signal(): AbortSignal {
    return this.#bell.signal;
  }

  /** Resolves at the given instant, or when rung. */
  async until(instant: number): Promise<void> {
    await this.#clock.sleep(instant - this.#clock.now(), this.#bell.signal);
  }

  ring(): void {
    this.#bell.abort();
    this.#bell = new AbortController();
  }
}

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
