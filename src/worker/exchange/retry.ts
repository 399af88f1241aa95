import { isIdempotent } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { HALF } from '../contracts/rule.ts';

/** Milliseconds before the first repetition, on average; it doubles with each. */
const FIRST_WAIT = 300;

/** What stood against a request. */
export type Setback =
  | { readonly kind: 'network' }
  /** `retryAfter` is what the server asked for, in milliseconds. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | null };

/**
 * Milliseconds to wait before a request is repeated; null where it is not: the method has other effects when it is
 * sent twice, the repetitions are used up, the answer will be the same again, or the wait would outlast the
 * `remaining` time, where the setback itself says more than a `timeout` would.
 */
export function waitBeforeRepeating(
  invocation: Invocation,
  repetitions: number,
  setback: Setback,
  random: number,
  remaining: number,
): number | null {
  if (!isIdempotent(invocation.method) || repetitions >= invocation.policy.retry) return null;
  if (setback.kind === 'status' && !isPassing(setback.status)) return null;
  const floor = setback.kind === 'status' ? setback.retryAfter : null;
  const wait = beforeRepeating(FIRST_WAIT * 2 ** repetitions, floor, random);
  return wait < remaining ? wait : null;
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The wait before a request is sent again: `mean` on average, and above what `Retry-After` asked for (`floor`). */
export function beforeRepeating(mean: number, floor: number | null, random: number): number {
  const wait = HALF * mean + random * mean;
  return floor === null ? wait : Math.max(wait, floor + random * HALF * mean);
}
