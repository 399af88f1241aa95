import type { Failure, FailureCode } from '../shared/failure.ts';

/**
 * The library's error class: `result(id)` rejects with it, `event.error` holds it, and a failed parameter check throws
 * it. `failure` describes what happened as data; `cause` is the platform's own error or an abort signal's reason.
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
