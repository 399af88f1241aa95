import { LIMITS } from '../../shared/limits.ts';

/** Rows of a list, by their numbers from 0. */
export interface Range {
  readonly start: number;
  readonly count: number;
}

/** @throws TypeError where one is no number; RangeError where it is no whole number from 0, or there are too many rows. */
export function rangeOf(start: unknown, count: unknown): Range {
  return { start: wholeOf('start', start), count: countOf(count) };
}

function countOf(count: unknown): number {
  const whole = wholeOf('count', count);
  if (whole <= LIMITS.windowRows) return whole;
  throw new RangeError(`A window has at most ${LIMITS.windowRows} rows, got a count of ${whole}`);
}

function wholeOf(name: string, value: unknown): number {
  if (typeof value !== 'number')
    throw new TypeError(`The ${name} of a window must be a number, got ${typeof value}`);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`The ${name} of a window must be a whole number from 0, got ${value}`);
}
