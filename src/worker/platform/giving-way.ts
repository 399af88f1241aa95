import type { Clock } from './system.ts';

// How work gives way to what pages wait for: long work in slices, and work in the background between two steps.

/** Bytes that are looked at between two pauses: a tenth of a millisecond to scan, half of one to parse. */
export const STRIDE = 65_536;

/** What pausing needs of the world. */
export interface Ports {
  /** Milliseconds. */
  readonly now: () => number;
  /** Resolves once other work of this thread has had its turn: in a macrotask. */
  readonly pause: () => Promise<void>;
}

/**
 * Whole milliseconds of work at a stretch. A call of another page takes several tasks, and waits before each of them for
 * as long: half of the 8 ms that would do for one.
 */
const SLICE = 4;

/** Work that begins sooner after other work has ended is in the same task as that. */
const SAME_TASK = 2;

/** Does work that can pause, and pauses whenever a slice is used up, by whatever work. */
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

/** Whether fewer milliseconds have gone, by a clock that may have been set back meanwhile. */
function isWithin(milliseconds: number, since: number, now: number): boolean {
  return now >= since && now - since < milliseconds;
}

/** Says when work has gone far enough to offer a pause. */
export class PauseMeter {
  readonly #stride: number;
  #left: number;

  constructor(stride: number = STRIDE) {
    this.#stride = stride;
    this.#left = stride;
  }

  /** Whether it is time, after work worth so many bytes. */
  isDue(work: number): boolean {
    this.#left -= work;
    if (this.#left > 0) return false;
    this.#left = this.#stride;
    return true;
  }
}

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
