/**
 * The numbers of the scheduling rule (design section 8), each named here alone: what another file relies on it derives
 * from these. Times are milliseconds. The spread of long-polls that were cut is an option of theirs (shared/limits.ts).
 */

/** The period that the waits of a long-poll count with. */
export const LONG_POLL_PERIOD = 20_000;

/** What is waited at the least, and what is added at random. */
export interface WaitRange {
  readonly least: number;
  readonly spread: number;
}

/**
 * After the first failures in a row comes a quick try each, so that a user hardly notices what is over by then. Of a loop
 * with a short period neither number is more than `afterFailure` lets its period make it.
 */
export const QUICK_TRIES: readonly [WaitRange, WaitRange] = [
  { least: 300, spread: 2_000 },
  { least: 2_000, spread: 8_000 },
];

/** Periods that are waited at the least where the quick tries were in vain. */
export const HALF = 0.5;

/** The most periods of a wait that are random. */
export const LONGEST_SPREAD = 4;

/** What was put off is spread over so many times as long as it was put off for, and over half a period at most. */
export const EASE = 5;

/** A request that is out for as long as this is held by its server. A 408 or 504 that comes sooner is a failure. */
export const HELD = 1_000;

/** A server that answers a long-poll within this time does not hold it. */
export const IMMEDIATE = 100;

/** So many immediate answers in a row are a runaway; fewer are a burst of news. */
export const RUNAWAY = 30;

/** The first pause of a runaway. It doubles with every further immediate answer, and is a period at the longest. */
export const FIRST_PAUSE = 500;
