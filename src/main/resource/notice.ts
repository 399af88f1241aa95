import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer, Outcome, Revision, SentRequest } from '../../shared/outcome.ts';
import type { Progress } from '../../shared/delivery.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { freeze, inDevelopment } from '../development.ts';
import { RestError } from '../error.ts';
import type { RequestData } from './body.ts';
import type { InputParams } from './params.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** What can be heard of an invocation. */
export type NoticeType = 'started' | 'sent' | 'progress' | 'success' | 'error' | 'reset';

/** How far a request is. */
export type Phase =
  | 'unsent'
  | 'opened'
  | 'sent'
  | 'loading'
  | 'load'
  | 'success'
  | 'abort'
  | 'timeout'
  | 'statusError'
  | 'error';

/** What was sent, as far as it was: the values of secret headers are left out. */
export interface RestRequest {
  readonly method: string;
  /** The expanded URL; the template as long as nothing was sent. */
  readonly url: string;
  readonly headers: Headers;
  readonly params: InputParams;
  readonly data: RequestData;
}

/** One thing that happened to an invocation, as a plain object: what the core tells the layer above it. */
export interface Notice<Response = unknown> {
  readonly type: NoticeType;
  readonly action: string;
  readonly id: number;
  readonly phase: Phase;
  readonly request: RestRequest;
  /** The parsed body; null before there is one and for an empty one. */
  readonly response: Response;
  /** True where the answer has no body, as a 204. The JSON `null` is a body. */
  readonly isEmpty: boolean;
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly servedFrom: 'network' | 'cache' | null;
  readonly stale: boolean;
  /** Seconds since the answer was received from its server. */
  readonly age: number;
  /** Whether the response differs from the one before: false for a 304 and for equal bytes. */
  readonly changed: boolean;
  readonly revision: Revision | null;
  readonly error: RestError | null;
  readonly progress: Progress | null;
}

/** What an invocation was called with: the same in all that is heard of it. */
export interface Call {
  readonly action: string;
  readonly id: number;
  readonly method: string;
  readonly template: string;
  readonly params: InputParams;
  readonly data: RequestData;
  /** What its answer has to pass; null where nothing is said of it. */
  readonly schema: StandardSchemaV1 | null;
  /** Milliseconds until its end. */
  readonly timeout: number;
}

export function startedNotice(call: Call): Notice {
  return noticeOf(call, 'started', 'opened', {});
}

export function sentNotice(call: Call, status: number, headers: readonly Header[]): Notice {
  return noticeOf(call, 'sent', 'sent', { status, headers });
}

export function progressNotice(call: Call, progress: Progress): Notice {
  return noticeOf(call, 'progress', 'loading', { progress });
}

/** A loop has lost its place, for this reason, and starts afresh. */
export function resetNotice(call: Call, failure: Failure): Notice {
  return noticeOf(call, 'reset', 'unsent', { error: new RestError(failure) });
}

/** The end of an invocation. `reason` is why it was aborted, if it was. */
export function settledNotice(call: Call, outcome: Outcome, reason?: unknown): Notice {
  switch (outcome.kind) {
    case 'answered':
      return noticeOf(call, 'success', 'success', { ...outcome, ...answerOf(outcome.answer) });
    case 'failed': {
      const { failure, answer, request } = outcome;
      const told = { ...(answer && answerOf(answer)), request, error: new RestError(failure, reason) };
      return noticeOf(call, 'error', phaseOf(failure.code), told);
    }
    default:
      return unreachable(outcome);
  }
}

/** The notice, whose response and failure are shared by all that hear of it: nobody is to change them. */
export function immutable(notice: Notice): Notice {
  inDevelopment(() => {
    freeze(notice.response);
    const failure = notice.error?.failure;
    freeze(failure?.code === 'http' ? failure.body : null);
  });
  return notice;
}

/** Bytes of an outcome's body, about. */
export function sizeOf({ answer }: Outcome): number {
  if (!answer) return 0;
  const { body } = answer;
  return body.kind === 'bytes' ? body.bytes.byteLength : (body.size ?? 0);
}

/** What a notice says beside what it is called with, as far as anything is known. */
interface Told extends Partial<
  Pick<
    Notice,
    | 'response'
    | 'isEmpty'
    | 'status'
    | 'servedFrom'
    | 'stale'
    | 'age'
    | 'changed'
    | 'revision'
    | 'error'
    | 'progress'
  >
> {
  readonly request?: SentRequest | null;
  readonly headers?: readonly Header[];
}

function noticeOf(call: Call, type: NoticeType, phase: Phase, told: Told): Notice {
  const headers = headersOf(told.headers ?? []);
  return {
    type,
    action: call.action,
    id: call.id,
    phase,
    request: requestOf(call, told.request ?? null),
    response: told.response ?? null,
    isEmpty: told.isEmpty ?? false,
    status: told.status ?? 0,
    get headers(): Headers {
      return headers();
    },
    servedFrom: told.servedFrom ?? null,
    stale: told.stale ?? false,
    age: told.age ?? 0,
    changed: told.changed ?? false,
    revision: told.revision ?? null,
    error: told.error ?? null,
    progress: told.progress ?? null,
  };
}

function answerOf({ status, headers, body }: Answer): Told {
  const response = body.kind === 'value' ? body.value : new Blob([body.bytes], { type: body.type });
  const isEmpty = body.kind === 'value' && body.value === null && !body.size;
  return { status, headers, response, isEmpty };
}

function requestOf({ method, template, params, data }: Call, sent: SentRequest | null): RestRequest {
  const headers = headersOf(sent?.headers ?? []);
  return {
    method,
    url: sent?.url ?? template,
    get headers(): Headers {
      return headers();
    },
    params,
    data,
  };
}

/** Made when they are asked for, and once: they take longer than all else, and few ask. */
function headersOf(headers: readonly Header[]): () => Headers {
  let made: Headers | null = null;
  return () => (made ??= new Headers(headers.map(([name, value]): [string, string] => [name, value])));
}

function phaseOf(code: RestError['code']): Phase {
  switch (code) {
    case 'aborted':
      return 'abort';
    case 'timeout':
      return 'timeout';
    case 'http':
      return 'statusError';
    default:
      return 'error';
  }
}
