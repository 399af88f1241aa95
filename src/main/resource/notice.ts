import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer, Answered, Outcome, Revision, SentRequest } from '../../shared/outcome.ts';
import type { Progress } from '../../shared/delivery.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { freeze, inDevelopment } from '../development.ts';
import { RestError } from '../error.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import type { RequestData } from './body.ts';
import type { InputParams } from './params.ts';
import type { Asked } from './prepare.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** The kinds of notice about an invocation. */
export type NoticeType = 'started' | 'sent' | 'progress' | 'queued' | 'success' | 'error' | 'reset';

/** The progress of a request. */
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

/** The request as far as it was sent, without the values of secret headers. */
export interface RestRequest {
  readonly method: string;
  /** The expanded URL; the template until the request is sent. */
  readonly url: string;
  readonly headers: Headers;
  readonly params: InputParams;
  readonly data: RequestData;
}

/** One thing that happened to an invocation, as a plain object: the core tells the layer above it. */
export interface Notice<Response = unknown> {
  readonly type: NoticeType;
  readonly action: string;
  readonly id: number;
  readonly phase: Phase;
  readonly request: RestRequest;
  /** The parsed body; null for an empty body and before there is one. */
  readonly response: Response;
  /** True where the answer has no body, as with a 204. The JSON `null` is a body. */
  readonly isEmpty: boolean;
  /** 0 where there is no answer. */
  readonly status: number;
  /** A function, so that a copy of the notice does not make them: that takes longer than all else, and few read them. */
  readonly headers: () => Headers;
  readonly servedFrom: 'network' | 'cache' | null;
  readonly stale: boolean;
  /** Seconds since the server's answer was received. */
  readonly age: number;
  /** When it was asked for, in milliseconds of the epoch: it contains all writes that had ended by then. */
  readonly asOf: number;
  /** When the call ended, in milliseconds of the epoch, where it was a write; null otherwise. */
  readonly endedAt: number | null;
  /** True where the response differs from the one before: false for a 304 and for equal bytes. */
  readonly changed: boolean;
  readonly revision: Revision | null;
  readonly error: RestError | null;
  readonly progress: Progress | null;
  /** True for a stored answer that is told while the server is asked: the end of the invocation follows. */
  readonly isPreliminary: boolean;
  /** The write that waits from now on, of a call that was queued; null otherwise. */
  readonly entry: OutboxEntry | null;
}

/** The data of an invocation: the same in all its notices. */
export interface Call {
  readonly action: string;
  readonly id: number;
  readonly method: string;
  readonly template: string;
  readonly params: InputParams;
  readonly data: RequestData;
  /** The same with the call's options, as it can be asked for again. */
  readonly asked: Asked;
  /** The declaration of its action: what was told of a query is remembered by it. */
  readonly declared: object;
  /** The schema that its answer must pass; null for none. */
  readonly schema: StandardSchemaV1 | null;
  /** Milliseconds until its deadline. */
  readonly timeout: number;
  /** True for one beside a long-poll, which the server may hold as well. Where no answer comes in time, there is nothing new. */
  readonly isHeld?: boolean;
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

/** The call is stored, and will be sent. */
export function queuedNotice(call: Call, entry: OutboxEntry): Notice {
  return noticeOf(call, 'queued', 'opened', { response: { kind: 'queued', entry }, entry });
}

/** A loop has lost its place in a feed, for this reason, and starts afresh. */
export function resetNotice(call: Call, failure: Failure): Notice {
  return noticeOf(call, 'reset', 'unsent', { error: new RestError(failure) });
}

/** A stored answer, told while the server is asked. */
export function firstNotice(call: Call, answered: Answered): Notice {
  return noticeOf(call, 'success', 'success', {
    ...answered,
    ...answerOf(answered.answer),
    isPreliminary: true,
  });
}

/** The end of an invocation. `reason` is the reason of an abort. */
export function settledNotice(call: Call, outcome: Outcome, reason?: unknown): Notice {
  switch (outcome.kind) {
    case 'answered':
      return noticeOf(call, 'success', 'success', { ...outcome, ...answerOf(outcome.answer) });
    case 'failed': {
      const { failure, answer, request, servedFrom = null, age = 0 } = outcome;
      const error = new RestError(failure, reason);
      const told = { ...(answer && answerOf(answer)), request, error, servedFrom, age };
      return noticeOf(call, 'error', phaseOf(failure.code), told);
    }
    default:
      return unreachable(outcome);
  }
}

/** All listeners share the notice's response and failure, so nobody may change them: development builds freeze them. */
export function immutable(notice: Notice): Notice {
  inDevelopment(() => {
    freeze(notice.response);
    const failure = notice.error?.failure;
    freeze(failure?.code === 'http' ? failure.body : null);
  });
  return notice;
}

/** The approximate number of bytes of an outcome's body. */
export function sizeOf({ answer }: Outcome): number {
  if (!answer) return 0;
  const { body } = answer;
  return body.kind === 'bytes' ? body.bytes.byteLength : (body.size ?? 0);
}

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
    | 'isPreliminary'
    | 'entry'
  >
> {
  readonly request?: SentRequest | null;
  readonly headers?: readonly Header[];
  readonly asOf?: number | undefined;
  readonly endedAt?: number | undefined;
}

function noticeOf(call: Call, type: NoticeType, phase: Phase, told: Told): Notice {
  return {
    type,
    action: call.action,
    id: call.id,
    phase,
    request: new NoticedRequest(call, told.request ?? null),
    response: told.response ?? null,
    isEmpty: told.isEmpty ?? false,
    status: told.status ?? 0,
    headers: headersOf(told.headers),
    servedFrom: told.servedFrom ?? null,
    stale: told.stale ?? false,
    age: told.age ?? 0,
    endedAt: told.endedAt ?? null,
    // An old answer is older than its request.
    asOf: told.asOf ?? Date.now() - (told.age ?? 0) * 1_000,
    changed: told.changed ?? false,
    revision: told.revision ?? null,
    error: told.error ?? null,
    progress: told.progress ?? null,
    isPreliminary: told.isPreliminary ?? false,
    entry: told.entry ?? null,
  };
}

function answerOf({ status, headers, body }: Answer): Told {
  const response = body.kind === 'value' ? body.value : new Blob([body.bytes], { type: body.type });
  const isEmpty = body.kind === 'value' && body.value === null && !body.size;
  return { status, headers, response, isEmpty };
}

/** A class, since an object with a getter of its own takes long to make, and there is one for each notice. */
class NoticedRequest implements RestRequest {
  readonly method: string;
  readonly url: string;
  readonly params: InputParams;
  readonly data: RequestData;
  readonly #headers: () => Headers;

  constructor(call: Call, sent: SentRequest | null) {
    this.method = call.method;
    this.url = sent?.url ?? call.template;
    this.params = call.params;
    this.data = call.data;
    this.#headers = headersOf(sent?.headers);
  }

  get headers(): Headers {
    return this.#headers();
  }
}

/** Made at first use and only once. */
function headersOf(headers: readonly Header[] = []): () => Headers {
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
