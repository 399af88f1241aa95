import type { Outcome, Revision } from '../../shared/outcome.ts';
import { isAborted, isSameRevision } from '../../shared/outcome.ts';
import { WORTH_A_REST, HIDDEN_PERIOD } from '../../shared/limits.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { DeliveryState, Subscriber, Withheld } from '../contracts/audience.ts';
import { stateOf } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { isNews } from '../scheduling/plan.ts';

/** How much of an outcome a page is told now: all of it, a notice that there is news, or nothing. */
export type DeliveryPolicy = 'all' | 'notice' | 'nothing';

/** Decides how much of a loop's answers a page is told. `askedAt` is when the request for an answer was made. */
export interface DeliveryRules {
  /** True where the page hears of the steps of a request. */
  hears(subscriber: DeliveryState, askedAt: number): boolean;
  policyFor(subscriber: DeliveryState, outcome: ReadOutcome, askedAt: number): DeliveryPolicy;
  /** True where a page that listens for changes alone need not be told an outcome: all is as it was told. */
  isRedundant(subscriber: DeliveryState, outcome: ReadOutcome): boolean;
}

/** Only the newest answer of a state counts, so a hidden page may be told less. */
export const NEWEST_ANSWER: DeliveryRules = {
  hears: hearsInFull,
  policyFor,
  isRedundant: isRedundantFor,
};

/** True where a page hears of a state's request made at `askedAt`: its steps and its whole outcome. */
export function hearsInFull({ pace, hidden, heardAt }: DeliveryState, askedAt: number): boolean {
  // A page that has nothing yet is told the first answer.
  return !hidden || heardAt === null || hearsWhileHidden(pace, askedAt - heardAt);
}

/** A hidden page is told once that there is news, and the newest answer when it is shown. */
export function policyFor(subscriber: DeliveryState, outcome: ReadOutcome, askedAt: number): DeliveryPolicy {
  // The page has caused the abort itself.
  if (isAborted(outcome) || hearsInFull(subscriber, askedAt)) return 'all';
  return subscriber.withheld !== 'news' && isNewsTo(subscriber, outcome) ? 'notice' : 'nothing';
}

/** What a page has missed after it was told this much of an outcome. */
export function withheldAfter(policy: DeliveryPolicy, outcome: Outcome<unknown>, before: Withheld): Withheld {
  if (policy === 'notice') return 'news';
  if (policy === 'nothing') return before === 'nothing' ? 'something' : before;
  // A failure does not stand for the answers before it.
  return outcome.kind === 'answered' ? 'nothing' : before;
}

/** When the request was made that the page has heard of last, after it was told all of an outcome. */
export function heardAfter(outcome: Outcome<unknown>, before: number | null, askedAt: number): number | null {
  // A page that was told failures alone has nothing yet.
  const isFirst = before === null && outcome.kind === 'failed';
  return isFirst || isAborted(outcome) ? before : askedAt;
}

export function isRedundantFor(
  { pace, interest, fresh, withheld }: DeliveryState,
  outcome: ReadOutcome,
): boolean {
  if (interest.unchanged !== false || interest.started || interest.sent || interest.progress) return false;
  const state = freshState(outcome);
  return needsNoTimes(pace) && withheld === 'nothing' && !!fresh && !!state && isSameRevision(fresh, state);
}

/** The revision that a page has after an outcome; null where it may be out of date, or where there is none. */
export function freshState(outcome: ReadOutcome): Revision | null {
  return outcome.kind === 'answered' && !outcome.stale ? stateOf(outcome) : null;
}

function isNewsTo({ has }: DeliveryState, outcome: ReadOutcome): boolean {
  if (!isNews(outcome)) return false;
  const state = stateOf(outcome);
  return !has || !state || !isSameRevision(has, state);
}

/**
 * True for a loop that asks so often that its page keeps the worker alive between requests. The page of a slower loop
 * has to hear every answer, since that says when the worker is needed again. A long-poll tells news alone anyway.
 */
function needsNoTimes(pace: Pace): boolean {
  const { isHeld, interval } = traitsOf(pace);
  return !isHeld && interval < WORTH_A_REST;
}

/** When a loop asks while its page is hidden: at `plannedAt`, later, or not at all. */
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
 * True where a hidden page is told an answer that was asked for `since` milliseconds after the last that it was told.
 * Other pages may have the loop ask more often: the hidden page hears what it would hear alone. A long-poll asks on,
 * but nobody sees what it brings in quick succession.
 */
function hearsWhileHidden(pace: Pace, since: number): boolean {
  const { hidden = 'slow' } = pace;
  return hidden === 'continue' || (hidden === 'slow' && since >= HIDDEN_PERIOD);
}

/** Milliseconds between two requests of a loop whose page is hidden. `period` is what they are otherwise. */
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

/** True where a page is shown, and is to be told the whole of an answer. */
export function wantsAll({ has, hidden, abstains, interest, withheld }: Subscriber): boolean {
  return has === null && !hidden && !abstains && interest.body !== false && withheld === 'nothing';
}

/** True where a page can read the parts that it wants of an answer from what is stored. */
export function isHadInParts({ revision, answer }: ReadAnswered): boolean {
  return revision !== null && answer.body.kind === 'json';
}

/** The answer before may have brought the change: the page was told only that there was one. */
export function changed(outcome: ReadOutcome): ReadOutcome {
  return outcome.kind === 'answered' ? { ...outcome, changed: true } : outcome;
}
