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
