import type { Invocation } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Reply } from '../contracts/audience.ts';
import { parsedAnswer } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { verdictOf } from './plan.ts';

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
