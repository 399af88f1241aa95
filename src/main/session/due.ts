import { HIDDEN_PERIOD, RETURN_SPREAD, WORTH_A_REST } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Again } from '../../shared/protocol.ts';

/** The page's knowledge of when the worker asks next for a loop. Times are milliseconds by a clock that is not set back. */
export interface Due {
  /** When it asks next; past while that request is out. */
  readonly at: number;
  /** When the request before was due; null before the first. */
  readonly askedAt: number | null;
  /** True while it waits out a failure: another interval does not shorten that wait. */
  readonly isFailing: boolean;
  /** The last tick brought an answer, or found no network; null before the first, and after a failure of the server. */
  readonly last: Again['last'] | null;
}

/** For a loop that is declared for the first time. */
export function firstDue(firstIn: number, now: number): Due {
  return { at: now + firstIn, askedAt: null, isFailing: false, last: null };
}

/** For a loop that is declared to the next worker instance, which waits as long, but counts failures anew. */
export function dueAgain(due: Due): Due {
  return { ...due, isFailing: false };
}

/** After a tick that was due at `dueAt`, in which the worker said when the next is. */
export function dueAfter(
  due: Due,
  outcome: Outcome<unknown>,
  nextIn: number,
  now: number,
  dueAt: number = due.at,
): Due {
  const askedAt = Math.min(dueAt, now);
  return { ...due, at: now + nextIn, askedAt, ...failingAfter(outcome) };
}

/**
 * After a new interval, as in the worker's `Loop.reconsider`. While a request is out, its end says when the next is.
 */
export function duePaced(due: Due, interval: number, now: number): Due {
  if (due.isFailing || due.at <= now) return due;
  return { ...due, at: (due.askedAt ?? now) + interval };
}

/** After the network came back: a poll that was cut off asks soon, as in the worker's `Loop.wakeUp`. */
export function dueOnline(due: Due, pace: Pace, now: number): Due {
  const { isHeld, interval } = traitsOf(pace);
  if (isHeld || due.last !== 'cut-off') return due;
  return { ...due, at: Math.min(due.at, now + RETURN_SPREAD * interval) };
}

/** Milliseconds until it asks; negative where it is overdue. */
export function waitOf({ at }: Due, now: number): number {
  return at - now;
}

/** Like `waitOf`, for a poll that is slow because its page is hidden. */
export function slowWaitOf(due: Due, now: number): number {
  const { askedAt } = due;
  const wait = waitOf(due, now);
  return askedAt === null ? wait : Math.max(wait, HIDDEN_PERIOD - askedAgo(askedAt, now));
}

/** Milliseconds since the request before; 0 where the clock was set back a little since. */
export function askedAgo(askedAt: number, now: number): number {
  return Math.max(0, now - askedAt);
}

/** An abort says nothing of the server. */
function failingAfter(outcome: Outcome<unknown>): Pick<Due, 'isFailing' | 'last'> | null {
  if (outcome.kind === 'answered' && !outcome.stale) return { isFailing: false, last: 'answered' };
  const code = outcome.kind === 'failed' ? outcome.failure.code : 'network';
  if (code === 'aborted') return null;
  return { isFailing: true, last: code === 'network' || code === 'offline' ? 'cut-off' : null };
}

/**
 * Milliseconds until the worker is needed for a loop that is due in `dueIn`: 0 where it is always needed, null where
 * the loop pauses. An overdue loop needs it until the answer is there.
 */
export function neededIn(pace: Pace, isHidden: boolean, dueIn: number): number | null {
  const { isHeld, interval, hidden } = traitsOf(pace);
  if (isHeld) return 0;
  if (isHidden && hidden === 'pause') return null;
  const period = isHidden && hidden === 'slow' ? Math.max(interval, HIDDEN_PERIOD) : interval;
  return period < WORTH_A_REST ? 0 : Math.max(0, dueIn);
}

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
