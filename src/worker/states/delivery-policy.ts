import type { Outcome, Revision } from '../../shared/outcome.ts';
import { isAborted, isSameRevision } from '../../shared/outcome.ts';
import { WORTH_A_REST, HIDDEN_PERIOD } from '../../shared/limits.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { DeliveryState, Withheld } from '../contracts/audience.ts';
import { stateOf } from '../contracts/read-body.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { isNews } from '../scheduling/reply.ts';

/** What a page is told of an outcome: all of it, no more than that there is news, or nothing for now. */
export type DeliveryPolicy = 'all' | 'notice' | 'nothing';

/** Decides how much of the answers of a loop a page is told. `askedAt` is when the request for an answer was made. */
export interface DeliveryRules {
  /** Whether the page hears of the steps on the way of a request. */
  hears(subscriber: DeliveryState, askedAt: number): boolean;
  policyFor(subscriber: DeliveryState, outcome: ReadOutcome, askedAt: number): DeliveryPolicy;
  /** Whether a page that wants to hear of changes alone need not hear an outcome that would be told in full. */
  isRedundant(subscriber: DeliveryState, outcome: ReadOutcome): boolean;
}

/** Of a state only the newest answer counts, so that a hidden page may be told less. */
export const NEWEST_ANSWER: DeliveryRules = {
  hears: hearsInFull,
  policyFor,
  isRedundant: isRedundantFor,
};

/** Whether a page hears of what a state was asked for at `askedAt`, on the way and in the end. */
export function hearsInFull({ pace, hidden, heardAt }: DeliveryState, askedAt: number): boolean {
  // Whoever has nothing of it yet is told the first.
  return !hidden || heardAt === null || hearsWhileHidden(pace, askedAt - heardAt);
}

/** A hidden page can wait for whatever nobody sees: it is told once that there is news, and the newest when it is shown. */
export function policyFor(subscriber: DeliveryState, outcome: ReadOutcome, askedAt: number): DeliveryPolicy {
  // It has brought that about itself.
  if (isAborted(outcome) || hearsInFull(subscriber, askedAt)) return 'all';
  return subscriber.withheld !== 'news' && isNewsTo(subscriber, outcome) ? 'notice' : 'nothing';
}

/** What a page has missed after it was told so much of an outcome. */
export function withheldAfter(policy: DeliveryPolicy, outcome: Outcome<unknown>, before: Withheld): Withheld {
  if (policy === 'notice') return 'news';
  if (policy === 'nothing') return before === 'nothing' ? 'something' : before;
  // A failure does not stand for the answers before it.
  return outcome.kind === 'answered' ? 'nothing' : before;
}

/** When that was asked for which a page has heard last, after it was told all of an outcome. */
export function heardAfter(outcome: Outcome<unknown>, before: number | null, askedAt: number): number | null {
  // Whoever was told of failures alone has nothing yet.
  const isFirst = before === null && outcome.kind === 'failed';
  return isFirst || isAborted(outcome) ? before : askedAt;
}

/** Whether a page that wants to hear of changes alone need not hear of an outcome, since all is as it was told. */
export function isRedundantFor(
  { pace, interest, fresh, withheld }: DeliveryState,
  outcome: ReadOutcome,
): boolean {
  if (interest.unchanged !== false || interest.started || interest.sent || interest.progress) return false;
  const state = freshState(outcome);
  return needsNoTimes(pace) && withheld === 'nothing' && !!fresh && !!state && isSameRevision(fresh, state);
}

/** What an outcome has a page know; null where that may be out of date, or goes by nothing. */
export function freshState(outcome: ReadOutcome): Revision | null {
  return outcome.kind === 'answered' && !outcome.stale ? stateOf(outcome) : null;
}

function isNewsTo({ has }: DeliveryState, outcome: ReadOutcome): boolean {
  if (!isNews(outcome)) return false;
  const state = stateOf(outcome);
  return !has || !state || !isSameRevision(has, state);
}

/**
 * True for a loop that asks so often that its page keeps the worker alive from one request to the next. Otherwise a page
 * has to hear of every answer, since that tells when the worker is needed again. A long-poll tells news alone anyway.
 */
function needsNoTimes(pace: Pace): boolean {
  const { isHeld, interval } = traitsOf(pace);
  return !isHeld && interval < WORTH_A_REST;
}

/** When a loop asks whose page is hidden, given when it would ask otherwise: at that time, later, or not at all. */
export function dueWhileHidden(pace: Pace, plannedAt: number, lastAskedAt: number | null): number {
  const { hidden } = traitsOf(pace);
  switch (hidden) {
    case 'continue':
      return plannedAt;
    case 'slow':
      return lastAskedAt === null ? plannedAt : Math.max(plannedAt, lastAskedAt + HIDDEN_PERIOD);
    case 'pause':
      return Infinity;
    default:
      return unreachable(hidden);
  }
}

/**
 * Whether a hidden page is told an answer that was asked for so many milliseconds after the last that it was told, since
 * other pages have the loop ask more often: it hears what it would if it were alone. A long-poll asks on, but nobody sees
 * what it brings in quick succession.
 */
function hearsWhileHidden(pace: Pace, since: number): boolean {
  const { hidden = 'slow' } = pace;
  return hidden === 'continue' || (hidden === 'slow' && since >= HIDDEN_PERIOD);
}

/** Milliseconds from one request to the next of a loop whose page is hidden, given what they are otherwise. */
export function periodWhileHidden(pace: Pace, period: number): number {
  const { hidden } = traitsOf(pace);
  switch (hidden) {
    case 'continue':
      return period;
    case 'slow':
      return Math.max(period, HIDDEN_PERIOD);
    case 'pause':
      return Infinity;
    default:
      return unreachable(hidden);
  }
}
