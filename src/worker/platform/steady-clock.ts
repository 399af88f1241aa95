import { LONGEST_TIMER } from '../../shared/limits.ts';
import type { Clock } from './system.ts';

/** Milliseconds that a timer may be early by although the clock was not set. */
const EARLY = 100;

/**
 * A clock that never goes back. It shows the device's time until that is set back; then it goes on from where it was,
 * and a sleep that has ended has passed. It may stay ahead of the device's clock for as long as it is used.
 */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #ahead = 0;
  #latest: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#latest = clock.now();
  }

  now(): number {
    const now = this.#clock.now() + this.#ahead;
    this.#reach(now < this.#latest ? this.#latest : now);
    return this.#latest;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const end = this.now() + Math.min(milliseconds, LONGEST_TIMER);
    await this.#clock.sleep(milliseconds, signal);
    if (!signal?.aborted && end - this.now() > EARLY) this.#reach(end);
  }

  #reach(instant: number): void {
    this.#ahead = instant - this.#clock.now();
    this.#latest = instant;
  }
}
