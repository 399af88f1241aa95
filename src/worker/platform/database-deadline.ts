import { LIMITS } from '../../shared/limits.ts';
import { Bell, Deferred, inTime } from './waiting.ts';
import type { Clock } from './system.ts';

/** Milliseconds for which the last of many probes of a late database are waited for; the first is like any transaction. */
const LONGEST_PROBE = 30_000;

interface LateOptions extends ErrorOptions {
  readonly again?: AbortSignal;
  readonly since?: number;
}

/** The database did not answer in time: what is stored, and if a write has taken effect, is unknown. */
export class DatabaseLate extends Error {
  override readonly name = 'DatabaseLate';
  /** Aborts when the database answers again; undefined for a transaction that was late itself, which may hang alone. */
  readonly again: AbortSignal | undefined;
  /** Since when the database is late that has refused this, in milliseconds of the epoch. */
  readonly since: number | undefined;

  constructor(message: string, { again, since, ...options }: LateOptions = {}) {
    super(message, options);
    [this.again, this.since] = [again, since];
  }

  /** True once the database has answered again. */
  get isOver(): boolean {
    return this.again?.aborted ?? false;
  }
}

/** It was late itself, and was not refused since the database was late before. */
export function isLateAlone(error: unknown): boolean {
  return error instanceof DatabaseLate && error.again === undefined;
}

/**
 * Does work that a late database may refuse: then once more as soon as that answers. However much follows each other, it is waited for no
 * longer than for one more transaction since it is late.
 */
export async function onceAnswered<T>(
  clock: Pick<Clock, 'now' | 'sleep'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseLate) || !error.again) throw error;
    const left = (error.since ?? -Infinity) + LIMITS.transaction - clock.now();
    // A clock that is set back delays nothing.
    if (left > 0 && left <= LIMITS.transaction) await clock.sleep(left, error.again);
    if (!error.isOver) throw error;
    return work();
  }
}

/**
 * How long a database is waited for. After a late transaction all others fail at once, until a probe is answered: if a
 * database hangs, one step waits for the deadline, not every step of every call. What was refused hears of that answer.
 */
export class DatabaseDeadline {
  readonly #clock: Clock;
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  #isLate = false;
  /** When it was late, in milliseconds of the epoch. */
  #since = -Infinity;
  /** Resolves with the first that is refused since the last probe began. */
  #wanted = new Deferred();
  /** Rings when the database answers again. */
  readonly #again = new Bell();

  /** `probe` runs the smallest possible transaction; its signal ends it. */
  constructor(clock: Clock, probe: (signal: AbortSignal) => Promise<unknown>) {
    this.#clock = clock;
    this.#probe = probe;
  }

  /** @throws DatabaseLate if it does not complete in time and is aborted, or if the database is known to be late. */
  async within<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isLate) {
      this.#wanted.resolve();
      const message = 'IndexedDB has not answered in time, and is not asked until it does';
      throw new DatabaseLate(message, { again: this.#again.signal, since: this.#since });
    }
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

  /** One probe at least is always out, so that its answer comes as soon as the database works; each has longer. */
  async #probeUntilAnswered(): Promise<void> {
    [this.#isLate, this.#since] = [true, this.#clock.now()];
    let patience: number = LIMITS.transaction;
    while (!(await this.#isAnswered(patience))) patience = Math.min(patience * 2, LONGEST_PROBE);
    this.#isLate = false;
    this.#again.ring();
  }

  /**
   * Whether a probe is answered in that time. An error is an answer, too, but not that the probe itself is late. A probe
   * may hang alone: where the database is wanted, a second one follows once the first has had the time of a transaction.
   */
  async #isAnswered(patience: number): Promise<boolean> {
    const answered = new AbortController();
    const ended = new AbortController();
    const ask = async (): Promise<void> => {
      if (ended.signal.aborted) return;
      const error: unknown = await this.#probe(ended.signal).catch((cause: unknown) => cause);
      if (!(error instanceof DatabaseLate)) answered.abort();
    };
    this.#wanted = new Deferred();
    void ask();
    await this.#clock.sleep(LIMITS.transaction, answered.signal);
    const left = patience - LIMITS.transaction;
    if (left > 0 && !answered.signal.aborted) {
      void this.#wanted.promise.then(ask);
      await this.#clock.sleep(left, answered.signal);
    }
    ended.abort();
    return answered.signal.aborted;
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
