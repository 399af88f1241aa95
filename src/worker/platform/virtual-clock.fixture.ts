import type { Clock } from './system.ts';

/** A clock that stands still until it is told to move: unit tests take no time and depend on none. */
export class VirtualClock implements Clock {
  #now: number;
  /** How far the shown time has been set away from the time that has passed. */
  #set = 0;
  readonly #sleepers = new Set<{ readonly due: number; readonly wake: () => void }>();

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#set;
  }

  /** The time that it would show had it never been set. */
  get unset(): number {
    return this.#now;
  }

  /** How many sleep. */
  get asleep(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = {
        due: this.#now + milliseconds,
        wake: (): void => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake);
    });
  }

  /** Moves on by so many milliseconds, waking every sleeper at its own instant, in order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let next = this.#nextDue(end); next; next = this.#nextDue(end)) {
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Is set forward by so many milliseconds, or back: sleepers sleep on for as long as they would have. */
  set(milliseconds: number): void {
    this.#set += milliseconds;
  }

  /** Lets time go by in which nothing runs, as while a machine sleeps: due sleepers are woken late. */
  async oversleep(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    await this.advance(0);
  }

  #nextDue(end: number): { readonly due: number; readonly wake: () => void } | undefined {
    return [...this.#sleepers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due)[0];
  }
}

/** What other threads work on, as those of WebCrypto do: they take real time, however the clock stands. */
const elsewhere = new Set<Promise<unknown>>();

/** Work of another thread, for which `settle` waits. */
export function workElsewhere<T>(work: Promise<T>): Promise<T> {
  const end = (): void => void elsewhere.delete(work);
  elsewhere.add(work);
  work.then(end, end);
  return work;
}

/** Lets so many turns of the event loop go by. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets everything run that is ready to run, timers of no length included, until other threads have no work left. */
export async function settle(): Promise<void> {
  do {
    await Promise.allSettled(elsewhere);
    await turns(10);
  } while (elsewhere.size > 0);
}

/** The state of a promise once everything has run that can. */
export async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'fulfilled' | 'rejected'> {
  let state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  promise.then(
    () => (state = 'fulfilled'),
    () => (state = 'rejected'),
  );
  await settle();
  return state;
}
