import * as LIMITS from './documented-limits.ts';

/** Each by its name, as in `LIMITS.timeout`. They are a module, so that a bundle has those alone that it uses. */
export { LIMITS };

/** Milliseconds between two ticks from which on it is cheaper to let the worker die meanwhile than to keep it alive. */
export const WORTH_A_REST = 60_000;

/** Milliseconds from one request of a slow poll to the next while nobody sees it: what browsers give timers then. */
export const HIDDEN_PERIOD = 60_000;

/** Periods within which a poll that was cut off asks once the network is back. All clients hear of that at once. */
export const RETURN_SPREAD = 0.5;

/** Milliseconds: a timer of more fires at once. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
