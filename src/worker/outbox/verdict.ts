import { isGone } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Failed, Outcome } from '../../shared/outcome.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { looksLikePortal, suspectOf } from '../contracts/portal.ts';

/** What the end of an attempt means for a write. */
export type Verdict =
  | { readonly kind: 'done' }
  /**
   * It is sent again later. `isUnclear`: its server cannot have meant that, unless it means it for long. `isBusy`: its server may be at
   * work on it. `isFailure` is false where it was cut off by us.
   */
  | {
      readonly kind: 'again';
      readonly isFailure: boolean;
      readonly isUnclear: boolean;
      readonly isBusy?: boolean;
    }
  /** It waits for other credentials, or for somebody's decision. */
  | { readonly kind: 'paused' | 'conflict' | 'review' };

/** Milliseconds for which a write may be answered by what its server cannot mean, before somebody has to look at it. */
export const LONGEST_DOUBT = 86_400_000;

/** Milliseconds for which a server may still be at work on an attempt whose answer was lost: the next one under its key hears 409. */
const LONGEST_WORK = 60_000;

/** Statuses of RFC 9110 and 6585 that ask a client to come again. */
const LATER: readonly number[] = [408, 425, 429];

const UNAUTHORIZED: readonly number[] = [401, 403];
const CONFLICTING: readonly number[] = [409, 412];

const AGAIN: Verdict = { kind: 'again', isFailure: true, isUnclear: false };
const UNCLEAR: Verdict = { kind: 'again', isFailure: true, isUnclear: true };
const BUSY: Verdict = { kind: 'again', isFailure: true, isUnclear: false, isBusy: true };

/** `outcome` is that of an attempt of this write that ended at `now`, in milliseconds of the epoch. */
export function verdictOn(
  write: Pick<WaitingWrite, 'invocation' | 'mayBeDone' | 'unclearSince' | 'busySince'>,
  outcome: Outcome<unknown>,
  now: number,
): Verdict {
  const isBusy = write.mayBeDone && isInProgress(outcome);
  if (isBusy && now - sinceThen(write.busySince, now) < LONGEST_WORK) return BUSY;
  const verdict = meaningOf(write, outcome);
  const isOver = now - sinceThen(write.unclearSince, now) >= LONGEST_DOUBT;
  return isOver && verdict.kind === 'again' && verdict.isUnclear ? { kind: 'review' } : verdict;
}

/** That time, or now: the clock may have been set back since. In milliseconds of the epoch. */
export function sinceThen(then: number | null, now: number): number {
  return then === null || then > now ? now : then;
}

/**
 * The same, or null where another answer was lost long after that: its server may be at work on that attempt, for as long again. What is
 * lost sooner gives it no more time, so that a conflict is told though every other attempt fails.
 */
export function busyAfterLoss(busySince: number | null, now: number): number | null {
  return now - sinceThen(busySince, now) < 2 * LONGEST_WORK ? busySince : null;
}

function meaningOf(
  { invocation, mayBeDone: wasMaybeDone }: Pick<WaitingWrite, 'invocation' | 'mayBeDone'>,
  outcome: Outcome<unknown>,
): Verdict {
  if (outcome.kind === 'answered') return isSuccess(outcome.answer.status) ? { kind: 'done' } : UNCLEAR;
  const { failure } = outcome;
  if (isOfPortal(invocation.headers, outcome)) return UNCLEAR;
  switch (failure.code) {
    case 'http':
      // An attempt whose answer was lost may have deleted it.
      if (wasMaybeDone && isGone(invocation.method, failure.status)) return { kind: 'done' };
      return meaningOfStatus(failure.status);
    case 'redirected':
    case 'parse':
      return UNCLEAR;
    case 'limit':
    case 'function':
    case 'schema':
      // The server has done it, and only its answer is of no use.
      if (outcome.request && isSuccess(outcome.answer?.status ?? 200)) return { kind: 'done' };
      return outcome.request ? { kind: 'review' } : UNCLEAR;
    case 'protocol':
      // A hook of the app may have wanted the network.
      return outcome.request ? { kind: 'review' } : UNCLEAR;
    case 'network':
    case 'offline':
    case 'timeout':
    case 'credentials':
      return AGAIN;
    case 'aborted':
    case 'worker-lost':
      return { kind: 'again', isFailure: false, isUnclear: false };
    default:
      return { kind: 'review' };
  }
}

/** Perhaps: it is what a conflict is answered by, too. */
function isInProgress(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'http' && outcome.failure.status === 409;
}

function meaningOfStatus(status: number): Verdict {
  if (LATER.includes(status) || status >= 500) return AGAIN;
  if (UNAUTHORIZED.includes(status)) return { kind: 'paused' };
  return { kind: CONFLICTING.includes(status) ? 'conflict' : 'review' };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A page of HTML where JSON is preferred, with whatever status below 500: a captive portal's or a proxy's. */
function isOfPortal(asked: WaitingWrite['invocation']['headers'], { answer }: Failed): boolean {
  if (!answer || answer.status >= 500) return false;
  return looksLikePortal(suspectOf(answer, asked, null));
}

/** True where a write may have been performed after this attempt, though nobody has heard so. */
export function isMaybeDone(
  { invocation, mayBeDone: before }: Pick<WaitingWrite, 'invocation' | 'mayBeDone'>,
  outcome: Outcome<unknown>,
  verdict: Verdict,
): boolean {
  const isDecided = verdict.kind === 'review' || verdict.kind === 'conflict';
  const isRefused = outcome.kind === 'failed' && outcome.failure.code === 'http';
  // What the server has refused under the same key was not performed under it. A portal knows nothing of that.
  if (isDecided && isRefused && !isOfPortal(invocation.headers, outcome)) return false;
  return before || mayBeDone(outcome);
}

/** Who refuses a write with more than is read has refused it all the same. */
export function asRefusal<Body>(outcome: Outcome<Body>): Outcome<Body> {
  if (outcome.kind === 'answered' || outcome.failure.code !== 'limit') return outcome;
  const { answer, failure } = outcome;
  if (!answer || answer.status < 400) return outcome;
  return {
    ...outcome,
    failure: { code: 'http', message: failure.message, status: answer.status, body: null },
  };
}
