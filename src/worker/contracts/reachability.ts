import type { OriginStatus } from '../../shared/inspection.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { HELD } from './rule.ts';

/** What an outcome says of its origin. `silent` is no answer in time: other requests may know better. */
export type Sign = OriginStatus | 'silent';

/** The origin that was asked; null where nothing was sent. */
export function originOf({ request }: Outcome<unknown>): string | null {
  return request && new URL(request.url).origin;
}

/**
 * Null where an outcome says nothing: the caller gave up, the request was refused before it was sent, or the server was
 * to hold it and did. `held` is how many milliseconds a long-poll was out; null for any other request.
 */
export function signOf(outcome: Outcome<unknown>, held: number | null): Sign | null {
  if (outcome.kind === 'answered') return outcome.stale ? 'unreachable' : 'reachable';
  const { failure } = outcome;
  switch (failure.code) {
    case 'http':
      return isTimeUp(failure.status, held) ? null : ofStatus(failure.status);
    case 'parse':
    case 'redirected':
      return 'reachable';
    case 'network':
    case 'offline':
      return 'unreachable';
    case 'timeout':
      return held === null ? 'silent' : null;
    default:
      return null;
  }
}

function isTimeUp(status: number, held: number | null): boolean {
  return status === 504 && held !== null && held >= HELD;
}

function ofStatus(status: number): OriginStatus {
  return [502, 503, 504].includes(status) ? 'failing' : 'reachable';
}
