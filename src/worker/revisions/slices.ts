/** What pausing needs of the world. */
export interface Ports {
  /** Milliseconds, steadily rising. */
  readonly now: () => number;
  /** Resolves once other work of this thread has had its turn: in a macrotask. */
  readonly pause: () => Promise<void>;
}

/** Milliseconds of work at a stretch: half a frame. */
const SLICE = 8;

/** Work that begins so soon after other work has ended is in the same task as that. */
const SAME_TASK = 1;

/** Does work that can pause, and pauses whenever a slice is used up, by whatever work. */
export class Slices {
  readonly #ports: Ports;
  #began = -Infinity;
  #ended = -Infinity;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async run<T>(work: Generator<void, T>): Promise<T> {
    const { now, pause } = this.#ports;
    if (now() - this.#ended > SAME_TASK) this.#began = now();
    for (;;) {
      const step = work.next();
      this.#ended = now();
      if (step.done) return step.value;
      if (this.#ended - this.#began < SLICE) continue;
      await pause();
      this.#began = now();
    }
  }
}
