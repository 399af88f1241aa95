/** When a loop asks again: the one rule of every loop, decided without a clock. Times are milliseconds. */

/**
 * The wait after failure `failures` of a loop with period `period`. Waiting from half a period on keeps a
 * recovering server's load near its steady one, where jitter that starts at zero multiplies it (design section 8).
 * `floor` is what `Retry-After` asked for.
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
