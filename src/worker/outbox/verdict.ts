import type { Failure } from '../../shared/failure.ts';
import { isGone } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';

/** What the end of an attempt means for a write. */
export type Verdict =
  | { readonly kind: 'done' }
  /** It is sent again later. Where it was cut off by us, that is no failure of the server's. */
  | { readonly kind: 'again'; readonly isFailure: boolean }
  /** It waits for other credentials, or for somebody's decision. */
  | { readonly kind: 'paused' | 'conflict' | 'review' };

/** Milliseconds for which a server may redirect a write before somebody has to look at it: a captive portal does so, too. */
export const LONGEST_REDIRECTION = 86_400_000;

/** Statuses of RFC 9110 and 6585 that ask a client to come again. */
const LATER: readonly number[] = [408, 425, 429];

const UNAUTHORIZED: readonly number[] = [401, 403];
const CONFLICTING: readonly number[] = [409, 412];

/** `outcome` is that of an attempt of this write that ended at `now`, in milliseconds of the epoch. */
export function verdictOn(
  {
    invocation,
    attempts,
    redirectedSince,
  }: Pick<WaitingWrite, 'invocation' | 'attempts' | 'redirectedSince'>,
  outcome: Outcome<unknown>,
  now: number,
): Verdict {
  if (outcome.kind === 'answered') return { kind: 'done' };
  const { failure } = outcome;
  switch (failure.code) {
    case 'http':
      // An attempt whose answer was lost may have deleted it.
      if (attempts > 1 && isGone(invocation.method, failure.status)) return { kind: 'done' };
      return { kind: kindOf(failure.status), isFailure: true };
    case 'redirected': {
      const isForGood = redirectedSince !== null && now - redirectedSince >= LONGEST_REDIRECTION;
      return isForGood ? { kind: 'review' } : AGAIN;
    }
    case 'credentials':
      return { kind: 'paused' };
    case 'aborted':
    case 'worker-lost':
      return { kind: 'again', isFailure: false };
    default:
      return isOfTheWay(failure) ? AGAIN : { kind: 'review' };
  }
}

const AGAIN: Verdict = { kind: 'again', isFailure: true };

function kindOf(status: number): 'again' | 'paused' | 'conflict' | 'review' {
  if (LATER.includes(status) || status >= 500) return 'again';
  if (UNAUTHORIZED.includes(status)) return 'paused';
  return CONFLICTING.includes(status) ? 'conflict' : 'review';
}

/**
 * True where the way to the server failed: nothing that the server meant has come back. HTML in answer to a request that
 * prefers JSON is a `parse` failure, as a captive portal makes it.
 */
function isOfTheWay({ code }: Failure): boolean {
  return code === 'network' || code === 'offline' || code === 'timeout' || code === 'parse';
}
