import * as LIMITS from './documented-limits.ts';

/** Each by its name, as in `LIMITS.timeout`. They are a module, so that a bundle has those alone that it uses. */
export { LIMITS };

/** Milliseconds: a timer of more fires at once. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
