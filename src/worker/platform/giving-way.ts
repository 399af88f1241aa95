import type { Clock } from './system.ts';

// How work gives way to what pages wait for: long work in slices, and work in the background between two steps.

/** Bytes of work between two pauses: a tenth of a millisecond to scan them, half of one to parse them. */
export const STRIDE = 65_536;

export interface Ports {
  /** Milliseconds. */
  readonly now: () => number;
  /** Resolves once other work of this thread has had its turn: in a macrotask. */
  readonly pause: () => Promise<void>;
}

/**
 * Milliseconds of work at a stretch. Another page's call takes several tasks, and waits this long before each of them:
 * half of the 8 ms that would do for one task.
 */
const SLICE = 4;

/** Milliseconds: work that begins sooner after other work has ended is in the same task. */
const SAME_TASK = 2;

/** Runs work that can pause, and pauses it whenever a slice is used up, by this or other work. */
export class TimeSlices {
  readonly #ports: Ports;
  #began = -Infinity;
  #ended = -Infinity;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async run<T>(work: Generator<void, T>): Promise<T> {
    const { now, pause } = this.#ports;
    if (!isWithin(SAME_TASK, this.#ended, now())) this.#began = now();
    for (;;) {
      const step = work.next();
      this.#ended = now();
      if (step.done) return step.value;
      if (isWithin(SLICE, this.#began, this.#ended)) continue;
      await pause();
      this.#began = now();
    }
  }
}

/** True if fewer milliseconds have gone by; false if the clock was set back meanwhile. */
function isWithin(milliseconds: number, since: number, now: number): boolean {
  return now >= since && now - since < milliseconds;
}

/** Says when work has gone far enough to pause. */
export class PauseMeter {
  readonly #stride: number;
  #left: number;

  constructor(stride: number = STRIDE) {
    this.#stride = stride;
    this.#left = stride;
  }

  /** True if it is time to pause, after work worth so many bytes. */
  isDue(work: number): boolean {
    this.#left -= work;
    if (this.#left > 0) return false;
    this.#left = this.#stride;
    return true;
  }
}

/** Milliseconds without a message from any page after which, most likely, no page waits for the worker. */
const MOMENT = 25;

/** Most milliseconds that background work gives way: it goes on even if pages send messages all the time. */
const LONGEST = 60;

/** Lets work in the background give way to pages that wait: both share the processor and the database. */
export class Foreground {
  readonly #clock: Clock;
  #notedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A page has sent a message, and waits for the result. */
  note(): void {
    this.#notedAt = this.#clock.now();
  }

  /** Resolves when no page has sent a message for a moment, or after the longest wait. */
  async giveWay(): Promise<void> {
    const began = this.#clock.now();
    for (;;) {
      const now = this.#clock.now();
      const wait = Math.min(this.#notedAt + MOMENT, began + LONGEST) - now;
      // A clock that is set back delays nothing.
      if (wait <= 0 || now < this.#notedAt || now < began) return;
      await this.#clock.sleep(wait);
    }
  }
}
