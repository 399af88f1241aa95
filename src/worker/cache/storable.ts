import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import { mayBeStored } from '../contracts/storing.ts';
import { isTellable } from './vary.ts';

/** True if a call may use the cache as it is. A part of an answer (RFC 9110 section 14) is not kept: see `byte-range.ts`. */
export function isCacheable({ method, headers, policy }: Invocation): boolean {
  return method === 'GET' && policy.cache !== 'network-only' && headerValue(headers, 'range') === null;
}

/** True if it says nothing of the whole: a part of it was asked for, or came. */
export function isPartial({ headers }: Invocation, { status }: Answer<unknown>): boolean {
  return status === 206 || headerValue(headers, 'range') !== null;
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers. */
export function isStorable(invocation: Invocation, answer: Answer<unknown>, isIdentified: boolean): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    mayBeStored(invocation, answer.headers) &&
    isTellable(answer.headers, invocation.policy.secretHeaders, isIdentified)
  );
}
