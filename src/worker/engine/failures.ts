import type { Failure, ParseFailure } from '../../shared/failure.ts';
import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { messageOf } from '../../shared/failure.ts';
import type { Answer, Outcome, SentRequest } from '../../shared/outcome.ts';
import type { AnsweredExchange } from './request-context.ts';

/** A step towards the answer failed, or did not end within the limit. */
export interface GivenUp {
  readonly kind: 'given-up';
  readonly failure: Failure;
  /** That to a write, where a schema of the app refuses it. */
  readonly answer?: Answer;
}

export function failed(failure: Failure, request: SentRequest | null, answer: Answer | null = null): Outcome {
  return { kind: 'failed', failure, answer, request };
}

/** An answer that is not the JSON it claims to be, told with its text. */
export function unreadable(
  { failure, text }: { readonly failure: ParseFailure; readonly text: string },
  { answer: { status, headers }, request }: AnsweredExchange,
): Outcome {
  const body = { kind: 'value', value: text } as const;
  return { kind: 'failed', failure, answer: { status, headers, body }, request };
}

/** Stands for a storage that takes too long. */
export function nothing(): null {
  return null;
}

export function never(): false {
  return false;
}

export function givenUp(failure: Failure): GivenUp {
  return { kind: 'given-up', failure };
}

/** A timeout names the hook as its cause. A caller that gave up needs no such hint. */
export function heldUp({ action }: Invocation, failure: Failure): Failure {
  if (failure.code !== 'timeout') return failure;
  return { ...failure, message: `The worker's configureRequest held up '${action}': ${failure.message}` };
}

/** Code of the worker or of the app threw: one call fails, and no loop ends. */
export function wentWrong({ action }: Invocation, error: unknown): Failure {
  return { code: 'protocol', message: `The worker could not serve '${action}': ${messageOf(error)}` };
}

export function notStored({ action }: Invocation): Failure {
  return { code: 'offline', message: `Nothing is stored for '${action}', and its server is not to be asked` };
}

/** A page of HTML in the place of JSON comes from a captive portal or a proxy (invariant 4). */
export function portal({ answer }: AnsweredExchange): Failure {
  const message =
    'The answer is HTML in the place of JSON: something between here and the server answers for it. ' +
    'Where HTML is wanted, the action says so with response: Resource.text';
  return {
    code: 'parse',
    message,
    status: answer.status,
    contentType: headerValue(answer.headers, 'content-type'),
  };
}
