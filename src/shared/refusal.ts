import type { Failure } from './failure.ts';

/**
 * The answer to a call that is not let in, as Comlink posts an error. Comlink would carry a message and no more; the
 * failure goes along as a property of the error.
 */
export function refusal(id: string, failure: Failure): object {
  const value = { name: 'Refusal', message: failure.message, stack: '', failure };
  return { id, type: 'HANDLER', name: 'throw', value: { isError: true, value } };
}

/** Why the other side did not let a call in; null where the call failed for another reason. */
export function refusalIn(error: unknown): Failure | null {
  return isRefusal(error) ? error.failure : null;
}

function isRefusal(error: unknown): error is { readonly failure: Failure } {
  return error instanceof Error && error.name === 'Refusal' && 'failure' in error;
}
