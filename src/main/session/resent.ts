import { isGone, isIdempotent } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';

/** True where an invocation that a dead worker may have sent can be sent again without a second effect. */
export function mayResend(invocation: Invocation): boolean {
  return isIdempotent(invocation.method);
}

/** The outcome of a call that died with its worker and cannot be sent again. */
export function workerLost({ action, method }: Invocation): Outcome {
  const message = `The worker knows no more of '${action}': the ${method} may have been applied; ask the server`;
  return unanswered({ code: 'worker-lost', message });
}

/** The outcome of a call that was sent twice: a second DELETE that finds nothing has succeeded. */
export function amendResent(invocation: Invocation, outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed') return outcome;
  const { answer, request } = outcome;
  if (!answer || !request || !isGone(invocation.method, answer.status)) return outcome;
  const body = { kind: 'value', value: null } as const;
  return {
    kind: 'answered',
    answer: { ...answer, body },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed: true,
    revision: null,
    request,
  };
}
