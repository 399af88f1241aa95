/**
 * A failure as data: it crosses from the worker to the page and becomes a `RestError` there. The code names the
 * kind; the message says what was wrong, where, and what to do.
 */
export type Failure =
  | HttpFailure
  | ParseFailure
  | SchemaFailure
  | TimeoutFailure
  | ParameterFailure
  | LimitFailure
  | PlainFailure;

/** The server answered with a status of 400 or more. */
export interface HttpFailure {
  readonly code: 'http';
  readonly message: string;
  readonly status: number;
  /** The answer's body, parsed like that of a success; null where it is bytes, or longer than 1 MiB. */
  readonly body: unknown;
}

/** The body is not what its Content-Type claims, or it was cut short. */
export interface ParseFailure {
  readonly code: 'parse';
  readonly message: string;
  readonly status: number;
  readonly contentType: string | null;
}

/** The answer does not match the action's schema, which the page checks. */
export interface SchemaFailure {
  readonly code: 'schema';
  readonly message: string;
  readonly issues: readonly SchemaIssue[];
}

/** One issue that a schema found, with its path: names and indexes from the outermost in. */
export interface SchemaIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** The last byte of the answer did not come in time. */
export interface TimeoutFailure {
  readonly code: 'timeout';
  readonly message: string;
  /** Milliseconds that the call had. */
  readonly timeout: number;
}

/** A check of the action's description refused a parameter: thrown at the call, and nothing was sent. */
export interface ParameterFailure {
  readonly code: 'missing-parameter' | 'invalid-parameter';
  readonly message: string;
  readonly action: string;
  readonly parameter: string;
  /** The check that refused it, as text. */
  readonly check: string;
}

/** One of the documented limits was reached. */
export interface LimitFailure {
  readonly code: 'limit';
  readonly message: string;
  readonly limit: string;
  readonly value: number;
}

/** Failures that need no more than their message. */
export interface PlainFailure {
  readonly code:
    | 'network'
    | 'offline'
    | 'aborted'
    | 'blocked-url'
    | 'url-too-long'
    | 'redirected'
    | 'worker-lost'
    | 'quota'
    | 'storage'
    | 'protocol'
    | 'not-connected'
    | 'identity-changed'
    | 'unknown-invocation'
    | 'credentials'
    | 'no-part'
    | 'function'
    | 'outbox';
  readonly message: string;
}

export type FailureCode = Failure['code'];

/** True where no answer came in time: within the call's own, or that of its server or of a gateway before it. */
export function isTimedOut(failure: Failure): boolean {
  return failure.code === 'timeout' || (failure.code === 'http' && [408, 504].includes(failure.status));
}

/** The message of a thrown value, which need not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
