import type { Clock } from './system.ts';

// The ways to wait: for a promise that is settled from outside, for a signal, for a bell, and for work with a deadline.

/** The reason of signals that are only waited for. Without one, `abort` makes an exception, and takes its stack. */
const OVER = 'over';

export class Deferred<Value = void> {
  readonly promise: Promise<Value>;
  /** Only the first call counts. */
  resolve: (value: Value) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }
}

/** Resolves as soon as one of the signals has aborted. */
export function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  const { promise, resolve } = new Deferred();
  const end = (): void => {
    for (const each of signals) each.removeEventListener('abort', end);
    resolve();
  };
  if (signals.some((each) => each.aborted)) resolve();
  else for (const each of signals) each.addEventListener('abort', end);
  return promise;
}

/** Wakes all that wait for something to change, in the order in which they came. */
export class Bell {
  #next = new AbortController();

  /** Aborts at the next ring. */
  get signal(): AbortSignal {
    return this.#next.signal;
  }

  /** Resolves at the next ring, or when the signal aborts. */
  async heard(signal: AbortSignal): Promise<void> {
    await aborted(this.signal, signal);
  }

  /** Resolves at that instant, in milliseconds of the epoch, or at the next ring. */
  async until(clock: Clock, instant: number): Promise<void> {
    await clock.sleep(instant - clock.now(), this.signal);
  }

  ring(): void {
    this.#next.abort(OVER);
    this.#next = new AbortController();
  }
}

/** Settles like the work, or rejects with that message if it has not settled after so many milliseconds. */
export async function inTime<T>(
  clock: Pick<Clock, 'sleep'>,
  milliseconds: number,
  message: string,
  work: Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const late = async (): Promise<T> => {
    await clock.sleep(milliseconds, settled.signal);
    // Every transaction passes here: nothing is made, an error least of all, where all went well.
    if (settled.signal.aborted) return work;
    throw new Error(message);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    settled.abort(OVER);
  }
}

/** Turns of the microtask queue in which what is known in memory comes, after all that it passes on its way. */
const AT_ONCE = 20;

/** The result of work that never rejects, or null after so many milliseconds. What comes at once needs no timer. */
export async function soon<T>(
  clock: Pick<Clock, 'sleep'>,
  milliseconds: number,
  work: Promise<T | null>,
): Promise<T | null> {
  const noted = { isSettled: false };
  const value = work.finally(() => (noted.isSettled = true));
  for (let turn = 0; turn < AT_ONCE && !noted.isSettled; turn += 1) await Promise.resolve();
  return noted.isSettled ? value : inTime(clock, milliseconds, 'It takes long', value).catch(() => null);
}
