/** Milliseconds of a set back that count. Less may be the rounding of two clocks that are read one after the other. */
const NOTABLE = 1_000;

export interface PageClockPorts {
  /** The device's time, in milliseconds of the epoch. */
  readonly now: () => number;
  /** Milliseconds since any instant. They never go back, but may stand still while the machine sleeps. */
  readonly elapsed: () => number;
}

/** The device's clock, and how far it was set back since the page began: waits do not grow by that. */
export class PageClock {
  /** The device's time, in milliseconds of the epoch. */
  readonly now: () => number;
  readonly #elapsed: () => number;
  #lead: number;
  #back = 0;

  constructor({ now, elapsed }: PageClockPorts) {
    this.now = now;
    this.#elapsed = elapsed;
    this.#lead = now() - elapsed();
  }

  /** Milliseconds by which the device's clock was set back in all. */
  get back(): number {
    const lead = this.now() - this.#elapsed();
    const back = Math.round(this.#lead - lead);
    this.#lead = lead;
    if (back > NOTABLE) this.#back += back;
    return this.#back;
  }
}
