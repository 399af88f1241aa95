import type { Outcome } from '../../shared/outcome.ts';
import { retryAfter } from '../../shared/header.ts';
import { QUICK_TRIES } from '../contracts/rule.ts';
import { afterFailure } from './back-off.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Reply } from '../contracts/audience.ts';
import { parsedAnswer } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';

/** What a loop remembers from one request to the next. */
export interface LoopProgress {
  /** Failures in a row. */
  readonly failures: number;
  /** True where the page has been told that the network is gone: it is told once. */
  readonly cutOff: boolean;
  /** Answers in a row that came at once, which may mean that the server does not hold requests. */
  readonly immediate: number;
}

export const FRESH: LoopProgress = { failures: 0, cutOff: false, immediate: 0 };

/** One request of a loop and how it ended. Times are milliseconds of the epoch. */
export interface Tick {
  readonly dueAt: number;
  readonly askedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome<unknown>;
  /** True where the answer has moved the loop's cursor. */
  readonly advanced?: boolean;
}

/** What follows from a tick: when to ask again, and whether the page hears of it. */
export interface Plan {
  readonly progress: LoopProgress;
  readonly dueAt: number;
  readonly tell: boolean;
}

/** What an outcome means to a loop, whatever its pace. */
export type Verdict = 'fresh' | 'nothing-new' | 'cut-off' | 'aborted' | 'failed';

export function verdictOf(outcome: Outcome<unknown>): Verdict {
  if (outcome.kind === 'answered') return readAnswer(outcome.stale, outcome.answer.status);
  switch (outcome.failure.code) {
    case 'network':
    case 'offline':
      return 'cut-off';
    case 'aborted':
      return 'aborted';
    default:
      return 'failed';
  }
}

function readAnswer(stale: boolean, status: number): Verdict {
  if (stale) return 'cut-off';
  return status === 204 ? 'nothing-new' : 'fresh';
}

/** Plans after a failure, by the loop's period and, for a long-poll, its `spread`. */
export function planFailure(
  progress: LoopProgress,
  period: number,
  tick: Tick,
  reading: 'cut-off' | 'failed',
  random: number,
  spread = 0,
): Plan {
  if (isUnasked(tick.outcome)) return planUnasked(progress, period, tick, random);
  const wait = afterFailure(period, progress.failures + 1, floorOf(tick), random, spread);
  return planAfter(wait, progress, tick, reading);
}

/** True where the storage failed before the server was asked, which says nothing of the server. */
function isUnasked(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'storage' && outcome.request === null;
}

/** The storage is tried again soon, however often it has failed: a back-off would outlast its trouble. */
function planUnasked(progress: LoopProgress, period: number, tick: Tick, random: number): Plan {
  return {
    progress: { ...progress, failures: Math.max(progress.failures, 1) },
    dueAt: tick.endedAt + afterFailure(period, QUICK_TRIES.length, null, random),
    tell: true,
  };
}

/** Plans after a failure, given its wait. A network that is gone is told once and then tried in silence. */
export function planAfter(
  wait: number,
  progress: LoopProgress,
  tick: Tick,
  reading: 'cut-off' | 'failed',
): Plan {
  const cutOff = reading === 'cut-off';
  return {
    progress: { failures: progress.failures + 1, cutOff, immediate: 0 },
    dueAt: tick.endedAt + wait,
    tell: !(cutOff && progress.cutOff),
  };
}

/**
 * Milliseconds that the server asked for with `Retry-After`; null where it asked for none. What a stored answer says of
 * that is not about this request.
 */
export function floorOf({ outcome, endedAt }: Tick): number | null {
  return outcome.kind === 'answered' ? null : retryAfter(outcome.answer?.headers ?? [], endedAt);
}

export function plainReply(outcome: ReadOutcome): Reply {
  return { outcome, advanced: false, isCatchUp: false, entry: null };
}

export function catchUpReply(outcome: ReadOutcome): Reply {
  return { ...plainReply(outcome), isCatchUp: true };
}

/** True where it holds something that was not there before, or may not have been. */
export function isNews(outcome: ReadOutcome): outcome is ReadAnswered {
  return verdictOf(outcome) === 'fresh' && outcome.answer?.status !== 304;
}

/** An answer that leaves a feed's cursor where it was brings nothing, whatever is in it: it is read like a 204. */
export function nothingNew(outcome: ReadAnswered): ReadAnswered {
  return { ...outcome, answer: { ...outcome.answer, status: 204, body: { kind: 'value', value: null } } };
}

/** Nobody waits for the answer any more. */
export function dropped(outcome: ReadOutcome): ReadOutcome {
  if (outcome.kind === 'failed') return outcome;
  const failure = { code: 'aborted', message: 'The request was aborted' } as const;
  return { kind: 'failed', failure, answer: null, request: outcome.request };
}

export function leadsNowhere(
  { action }: Invocation,
  cursorValue: string | null,
  { answer, request }: ReadAnswered,
): ReadOutcome {
  const what =
    cursorValue === null ? 'names no place to go on from' : 'leads back to the place that was refused';
  const message = `The answer of '${action}', which is to catch up, ${what}`;
  return { kind: 'failed', failure: { code: 'protocol', message }, answer: parsedAnswer(answer), request };
}

/** The storage does not say where a feed was, and to begin it anew would lose what lies there. */
export function unknownPlace({ action }: Invocation): ReadOutcome {
  const message = `The storage does not say where '${action}' was: it is asked again once the storage answers`;
  return unanswered({ code: 'storage', message });
}

export function unstored({ action }: Invocation, { request }: ReadAnswered, error: unknown): ReadOutcome {
  const message = `The answer of '${action}' could not be stored, and is asked for again: ${String(error)}`;
  const code = error instanceof Error && error.name === 'QuotaExceededError' ? 'quota' : 'storage';
  return { kind: 'failed', failure: { code, message }, answer: null, request };
}
