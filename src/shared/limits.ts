import * as LIMITS from './documented-limits.ts';

/**
 * Each limit by name, as in `LIMITS.timeout`. A module namespace, so that a bundle contains only the ones it uses: with
 * `const { timeout } = LIMITS` anywhere in it, it would contain all.
 */
export { LIMITS };

/** From this many milliseconds between two ticks, letting the worker die costs less than keeping it alive. */
export const WORTH_A_REST = 60_000;

/** Milliseconds from one request of a slow poll to the next while its page is hidden: browsers slow timers to that. */
export const HIDDEN_PERIOD = 60_000;

/** Periods within which a poll that was cut off asks after the network is back: all clients hear of that at once. */
export const RETURN_SPREAD = 0.5;

/** Milliseconds: a longer timer fires at once. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
