import type { EarlyEngine } from '../../shared/early.ts';
import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';

// What a page may send itself, before it has an engine.

/** True for what needs nothing but a server: no function of a worker, and nothing that is stored. */
export function isForAnyEngine({ headers, policy }: Invocation): boolean {
  const asksNobody = /\bonly-if-cached\b/i.test(headerValue(headers, 'cache-control') ?? '');
  return !policy.transform && policy.cache !== 'cache-only' && !asksNobody;
}

/** True for a poll that asks at once, and that nobody has heard of yet. */
export function isFirstTick({
  pace,
  invocation,
  interest,
  firstIn,
  cursor,
  wait,
  again,
  position,
}: Omit<LoopDeclaration, 'loop'>): boolean {
  const isPlain = !traitsOf(pace).isHeld && !cursor && !wait && !again && !position;
  return isPlain && firstIn <= 0 && interest.body !== false && isForAnyEngine(invocation);
}

/** A loop has its own rule for what is repeated. */
export function once(invocation: Invocation): Invocation {
  return { ...invocation, policy: { ...invocation.policy, retry: 0 } };
}

/** False where the app gives credentials for it: the worker asks for them, for all tabs (credentialed-exchange.ts). */
export function needsNobody(
  engine: EarlyEngine,
  provides: readonly string[],
  { headers, policy, ...invocation }: Invocation,
): boolean {
  if (provides.length === 0 || policy.credentials === 'omit') return true;
  const origin = engine.originOf({ ...invocation, headers, policy });
  return headerValue(headers, 'authorization') !== null || !provides.includes(origin ?? '');
}
