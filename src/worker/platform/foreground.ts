import type { Clock } from './system.ts';

/** Milliseconds without a word from any page after which nobody waits for the worker, as far as can be told. */
const MOMENT = 25;

/** Milliseconds that background work gives way at most: where pages talk all the time, it goes on nevertheless. */
const LONGEST = 60;

/** What pages wait for. Work in the background gives way to it: both share the processor, and the database. */
export class Foreground {
  readonly #clock: Clock;
  #notedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A page has said something, and waits for what comes of it. */
  note(): void {
    this.#notedAt = this.#clock.now();
  }

  /** Resolves when no page has said anything for a moment, or has given way for long enough. */
  async giveWay(): Promise<void> {
    const began = this.#clock.now();
    for (;;) {
      const now = this.#clock.now();
      const wait = Math.min(this.#notedAt + MOMENT, began + LONGEST) - now;
      // A clock that is set back makes nobody wait.
      if (wait <= 0 || now < this.#notedAt || now < began) return;
      await this.#clock.sleep(wait);
    }
  }
}
