/** A server that answers so many requests a second; the others wait in line, and what would wait too long is refused. */
export class Server {
  readonly #perMillisecond: number;
  readonly #patience: number;
  /** Requests in line at `#since`. */
  #line = 0;
  #since = 0;
  #refused = 0;
  #longest = 0;

  /** `capacity`: requests a second; `patience`: the longest line, in milliseconds of waiting. */
  constructor(capacity: number, patience: number) {
    this.#perMillisecond = capacity / 1_000;
    this.#patience = patience;
  }

  /** Milliseconds that a request of now waits in line, or null where it is refused: that costs the server nothing. */
  accept(now: number): number | null {
    this.#serve(now);
    const wait = this.#line / this.#perMillisecond;
    if (wait > this.#patience) {
      this.#refused += 1;
      return null;
    }
    this.#line += 1;
    this.#longest = Math.max(this.#longest, wait);
    return wait;
  }

  /** Requests answered by a 503. */
  get refused(): number {
    return this.#refused;
  }

  /** Milliseconds that the unluckiest waited in line. */
  get longestWait(): number {
    return this.#longest;
  }

  #serve(now: number): void {
    const passed = Math.max(0, now - this.#since);
    this.#line = Math.max(0, this.#line - passed * this.#perMillisecond);
    this.#since += passed;
  }
}
