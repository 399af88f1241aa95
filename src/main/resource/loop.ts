/** What a loop's handle may do; the core does it. */
export interface LoopControl {
  readonly stop: () => void;
  readonly restart: () => void;
  /** @throws RangeError where the interval is too short. */
  readonly pace: (interval: number) => void;
}

/** A running poll or long-poll, as `poll` and `longPoll` return it. */
export class Loop {
  readonly action: string;
  readonly #control: LoopControl;
  #interval: number | null;

  constructor(action: string, interval: number | null, control: LoopControl) {
    this.action = action;
    this.#interval = interval;
    this.#control = control;
  }

  /** Milliseconds from one request of a poll to the next; null for a long-poll. */
  get interval(): number | null {
    return this.#interval;
  }

  /** @throws RangeError under 100 ms; TypeError for a long-poll, whose pace is the server's. */
  set interval(interval: number) {
    if (this.#interval === null) throw new TypeError(`The long-poll '${this.action}' has no interval to set`);
    this.#control.pace(interval);
    this.#interval = interval;
  }

  /** Ends the loop and the request that it has out. */
  stop(): void {
    this.#control.stop();
  }

  /** Asks at once and goes on from there, with the action as it is mapped now and its headers made anew. */
  restart(): void {
    this.#control.restart();
  }
}
