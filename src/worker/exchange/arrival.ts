import type { Failure } from '../../shared/failure.ts';
import { retryAfter } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer } from '../../shared/outcome.ts';
import { parsedAnswer } from '../contracts/read-body.ts';
import { conclude } from './body.ts';
import type { Setback } from './body.ts';

/** An answer whose headers have arrived. */
export interface Arrival {
  readonly response: Response;
  readonly headers: readonly Header[];
  readonly receivedAt: number;
  readonly delay: number;
}

/** Stands for a body that is not read. */
export const NO_BYTES: ArrayBuffer = new ArrayBuffer(0);

export function statusOf({ response, headers, receivedAt }: Arrival): Setback {
  return {
    kind: 'status',
    status: response.status,
    retryAfter: retryAfter(headers, receivedAt),
  };
}

export interface Refusal {
  readonly failure: Failure;
  readonly answer: Answer;
}

/**
 * What a refusal says by its headers, for instance when to ask again: it is one, whatever becomes of its body. Null if
 * it is none. `name` is that of the request.
 */
export function refusalIn(name: string, { response, headers }: Arrival): Refusal | null {
  const { answer, failure } = conclude(name, response.status, headers, NO_BYTES, 'parsed');
  return failure && { failure, answer: parsedAnswer(answer) };
}
