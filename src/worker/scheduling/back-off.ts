import { RETURN_SPREAD } from '../../shared/limits.ts';
import { LONGEST_RETRY_AFTER } from '../../shared/header.ts';
import { EASE, HALF, LONGEST_SPREAD, QUICK_TRIES } from '../contracts/rule.ts';
import type { WaitRange } from '../contracts/rule.ts';

/**
 * When to ask again: the one rule of every loop and of repetitions, decided without a clock, by the numbers of `rule.ts`.
 * Times are milliseconds. `npm run fleet` shows what it does to a server that a million clients ask.
 */

/**
 * The wait after failure `failures` in a row of a loop with period `period`. `floor` is what `Retry-After` asked for,
 * at most an hour (shared/header.ts): a date in it puts all clients off to the same instant. `spread` is that of a
 * long-poll, whose server may be one that a fleet comes back to; 0 for a poll.
 */
export function afterFailure(
  period: number,
  failures: number,
  floor: number | null,
  random: number,
  spread = 0,
): number {
  const { least, spread: own } = waitAfter(period, failures);
  const { least: first, spread: most } = whileOthersReturn(spread, failures);
  const wait = Math.max(least + random * own, first + random * most);
  return floor === null ? wait : Math.max(wait, floor + random * Math.max(easeOf(period, floor), spread));
}

/** True where the next try is a quick one. */
export function isQuick(failures: number): boolean {
  return failures <= QUICK_TRIES.length;
}

export function meanWait(period: number, failures: number): number {
  const { least, spread } = waitAfter(period, failures);
  return least + spread / 2;
}

/** The longest wait, unless `Retry-After` asked for more; `spread` as above. */
export function longestWait(period: number, spread = 0): number {
  return Math.max(...[1, 2, Infinity].map((failures) => afterFailure(period, failures, null, 1, spread)));
}

/** No loop plans an instant further away than this; `spread` as above. */
export function furthest(period: number, spread: number): number {
  return LONGEST_RETRY_AFTER + longestWait(period, spread);
}

/** Two quick tries; then half a period at least, which keeps the load of a recovering server near its steady one. */
function waitAfter(period: number, failures: number): WaitRange {
  const [first, second] = QUICK_TRIES;
  switch (failures) {
    case 1:
      return { least: first.least, spread: Math.min(period, first.spread) };
    case 2:
      return {
        least: Math.min(HALF * period, second.least),
        spread: Math.min(period, second.spread),
      };
    default:
      return { least: HALF * period, spread: period * Math.min(LONGEST_SPREAD, 2 ** (failures - 3)) };
  }
}

/** A client that comes back in vain stays away until the others of a fleet have come, within the spread. */
function whileOthersReturn(spread: number, failures: number): WaitRange {
  return { least: failures > 1 ? HALF * spread : 0, spread };
}

/** Requests that were put off for so long, perhaps with a whole fleet, are spread over this time. */
export function easeOf(period: number, putOff: number): number {
  return Math.min(HALF * period, EASE * putOff);
}

/** The next instant of the grid `start + n * interval` after `now`. Ticks that passed meanwhile are skipped. */
export function nextTick(start: number, interval: number, now: number): number {
  return start + interval * (Math.floor(Math.max(0, now - start) / interval) + 1);
}

/** When to ask once the network is back: all clients hear of it at once, so they spread. */
export function afterReturn(period: number, now: number, random: number): number {
  return now + random * RETURN_SPREAD * period;
}

/** The wait after a held request was cut: a server that restarts cuts all at once, so they spread. `floor` as above. */
export function afterCut(spread: number, floor: number | null, random: number): number {
  return (floor ?? 0) + random * spread;
}

/**
 * When to ask after the worker starts anew, if it was to ask at `dueAt`. An overdue request is spread, for a whole
 * fleet may have come back at once; one that is hardly late, as after a rest, goes almost at once.
 */
export function afterRestart(dueAt: number, period: number, now: number, random: number): number {
  const late = now - dueAt;
  return late > 0 ? now + random * easeOf(period, late) : dueAt;
}
