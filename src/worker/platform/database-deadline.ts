import { LIMITS } from '../../shared/limits.ts';
import { inTime } from './waiting.ts';
import type { Clock } from './system.ts';

/** Milliseconds between two probes of a late database: the first comes at once, later ones ever less often. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** The database did not answer in time: what is stored, and if a write has taken effect, is unknown. */
export class DatabaseLate extends Error {
  override readonly name = 'DatabaseLate';
}

/**
 * How long a database is waited for. After a late transaction all others fail at once, until a probe is answered: if a
 * database hangs, one step waits for the deadline, not every step of every call.
 */
export class DatabaseDeadline {
  readonly #clock: Clock;
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  #isLate = false;

  /** `probe` runs the smallest possible transaction; its signal ends it. */
  constructor(clock: Clock, probe: (signal: AbortSignal) => Promise<unknown>) {
    this.#clock = clock;
    this.#probe = probe;
  }

  /** @throws DatabaseLate if it does not complete in time and is aborted, or if the database is known to be late. */
  async within<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isLate)
      throw new DatabaseLate('IndexedDB has not answered in time, and is not asked until it does');
    try {
      return await this.#timed(run);
    } catch (error) {
      if (error instanceof DatabaseLate && !this.#isLate) void this.#probeUntilAnswered();
      throw error;
    }
  }

  async #timed<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    let isOver = false;
    const running = run(end.signal).finally(() => (isOver = true));
    const message = `A transaction of IndexedDB has not completed within ${LIMITS.transaction} ms`;
    try {
      return await inTime(this.#clock, LIMITS.transaction, message, running);
    } catch (error) {
      if (isOver) throw error;
      running.catch(() => {});
      end.abort();
      throw new DatabaseLate(message, { cause: error });
    }
  }

  async #probeUntilAnswered(): Promise<void> {
    this.#isLate = true;
    for (let pause = FIRST_PAUSE; !(await this.#answers()); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      await this.#clock.sleep(pause);
    }
    this.#isLate = false;
  }

  /** An error is an answer, too. */
  async #answers(): Promise<boolean> {
    try {
      await this.#timed(this.#probe);
      return true;
    } catch (error) {
      return !(error instanceof DatabaseLate);
    }
  }
}

/** A write was begun by an engine that no longer acts; it is aborted and leaves nothing behind. */
export class StaleGeneration extends Error {
  override readonly name = 'StaleGeneration';

  /** The generation in which the write was begun, and the stored one; null if there is none. */
  constructor(own: number | null, stored: number | null) {
    super(`Another engine acts: the generation is ${stored}, this engine's own is ${own}`);
  }
}
