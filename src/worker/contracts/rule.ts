/**
 * The numbers of the scheduling rule. Other files derive from them what they rely on. Times are
 * milliseconds. The spread of long-polls that were cut is an option of theirs (shared/limits.ts).
 */

/** The period that the waits of a long-poll are computed from. */
export const LONG_POLL_PERIOD = 20_000;

/** The least wait, and what is added at random. */
export interface WaitRange {
  readonly least: number;
  readonly spread: number;
}

/**
 * One quick try after each of the first failures in a row, so that a user hardly notices a short failure. A loop with a
 * short period waits less: see `afterFailure`.
 */
export const QUICK_TRIES: readonly [WaitRange, WaitRange] = [
  { least: 300, spread: 2_000 },
  { least: 2_000, spread: 8_000 },
];

/** The least wait, in periods, after the quick tries. */
export const HALF = 0.5;

/** The longest random part of a wait, in periods. */
export const LONGEST_SPREAD = 4;

/** Requests that were put off are spread over this many times as long, and over half a period at most. */
export const EASE = 5;

/** A request that is out this long is held by its server. A 408 or 504 that comes sooner is a failure. */
export const HELD = 1_000;

/** A server that answers a long-poll within this time does not hold it. */
export const IMMEDIATE = 100;

/** This many immediate answers in a row are a runaway; fewer are a burst of news. */
export const RUNAWAY = 30;

/** The first pause of a runaway. It doubles with every further immediate answer, up to a period. */
export const FIRST_PAUSE = 500;
