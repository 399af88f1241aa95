import { isSafe } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';

/** Statuses that say of a URL that nothing is there, or not for this user. */
const GONE = [404, 410];
const REFUSED = [401, 403, ...GONE];

/**
 * True if what is stored for the URL must not be served any more: it is deleted, or this user may not read it. A write
 * that is refused says nothing about what may be read.
 */
export function isWithdrawn(method: string, outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return method === 'DELETE';
  const { failure } = outcome;
  const statuses = isSafe(method) ? REFUSED : GONE;
  return failure.code === 'http' && statuses.includes(failure.status);
}
