import type { Failure, FailureCode } from '../shared/failure.ts';

/**
 * The one error class: what `result(id)` rejects with, what `event.error` holds, and what a failed check throws.
 * `failure` says what happened as data, `cause` is the platform's own error or an abort signal's reason.
 */
export class RestError extends Error {
  override readonly name = 'RestError' as const;
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }

  get code(): FailureCode {
    return this.failure.code;
  }
}
