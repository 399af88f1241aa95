/**
 * When to ask again: the one rule of every loop and of repetitions, decided without a clock. Times are milliseconds.
 * `npm run fleet` shows what it does to a server that a million clients ask.
 */

/**
 * The wait after failure `failures` of a loop with period `period`. Waiting from half a period on keeps a
 * recovering server's load near its steady one, where jitter that starts at zero multiplies it (design section 8).
 * `floor` is what `Retry-After` asked for, at most an hour (shared/retry-after.ts).
 */
export function afterFailure(period: number, failures: number, floor: number | null, random: number): number {
  const spread = Math.min(4 * period, period * 2 ** (failures - 1));
  const wait = period / 2 + random * spread;
  return floor === null ? wait : Math.max(wait, floor + random * (period / 2));
}

/** The next instant of the grid `start + n * interval` after `now`: ticks that passed meanwhile are skipped. */
export function nextTick(start: number, interval: number, now: number): number {
  return start + interval * (Math.floor(Math.max(0, now - start) / interval) + 1);
}

/** The instant to ask at when the network is back: all clients hear of it at once, so they spread. */
export function afterReturn(period: number, now: number, random: number): number {
  return now + random * (period / 2);
}

/**
 * The wait before the first try after a held request was cut: a server that restarts cuts them all in one instant, so
 * they spread. `floor` as above.
 */
export function afterCut(spread: number, floor: number | null, random: number): number {
  return (floor ?? 0) + random * spread;
}

/**
 * The instant to ask at when the worker starts anew and knows that it was to ask at `dueAt`. What is overdue is spread,
 * for a whole fleet may have come back at once: over half a period at most, and over ten times what it is late by where
 * that is less, since a worker that is let rest is always a few milliseconds late.
 */
export function afterRestart(dueAt: number, period: number, now: number, random: number): number {
  const late = now - dueAt;
  return late > 0 ? now + random * Math.min(period / 2, 10 * late) : dueAt;
}
