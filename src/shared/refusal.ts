import type { Failure } from './failure.ts';

/**
 * The answer to a call that is not let in, as Comlink posts an error. Comlink would carry a message and no more; the
 * failure goes along as a property of the error.
 */
export function refusal(id: string, failure: Failure): object {
  const value = { name: 'Refusal', message: failure.message, stack: '', failure };
  return { id, type: 'HANDLER', name: 'throw', value: { isError: true, value } };
}

/** Why a call was not let in, or cannot be sent at all; null where it failed for another reason. */
export function refusalIn(error: unknown): Failure | null {
  if (isUncloneable(error)) return { code: 'protocol', message: error.message };
  return isRefusal(error) ? error.failure : null;
}

/** True for the error of a message that holds something which cannot be copied, such as a function. */
export function isUncloneable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'DataCloneError';
}

function isRefusal(error: unknown): error is { readonly failure: Failure } {
  return error instanceof Error && error.name === 'Refusal' && 'failure' in error;
}
