import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import { mayBeStored } from '../contracts/storing.ts';
import { isTellable } from './vary.ts';

/** True if a call may use the cache at all. */
export function isCacheable(invocation: Invocation): boolean {
  return invocation.method === 'GET' && invocation.policy.cache !== 'network-only';
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers; a 206 is only a part of one. */
export function isStorable(invocation: Invocation, answer: Answer<unknown>, isIdentified: boolean): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    status !== 206 &&
    mayBeStored(invocation, answer.headers) &&
    isTellable(answer.headers, invocation.policy.secretHeaders, isIdentified)
  );
}
