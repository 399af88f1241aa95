import type { Invocation, Policy } from '../../shared/invocation.ts';
import { actionRules, assertOptions } from './action.ts';
import type { Action, ActionOptions, RequestHeaders } from './action.ts';
import { encodeBody } from './body.ts';
import type { EncodedBody, RequestData } from './body.ts';
import { runChecks } from './check.ts';
import { aFlag, aSignal } from './option-checks.ts';
import type { Rules } from './option-checks.ts';
import { assertParams, encodeParams } from './params.ts';
import type { InputParams } from './params.ts';
import {
  assertSettable,
  headerValue,
  withHeader,
  removedFrom,
  DEFAULT_ACCEPT,
  TEXT_ACCEPT,
} from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { TEXT } from '../../shared/standard-schema.ts';

/** The options of one call. Its headers override those that `configureRequest` has set. */
export interface InvokeOptions extends ActionOptions {
  /** Aborts the call; the signal's reason becomes the error's `cause`. */
  readonly signal?: AbortSignal;
  /** Asks the server though a stored answer is fresh, as `refresh` and every tick of a loop do (default false). */
  readonly reload?: boolean;
}

/** A connection's defaults for all its calls. */
export interface ConnectionSettings {
  readonly timeout: number;
  readonly retry: number;
  readonly credentials: RequestCredentials;
  readonly mode: 'cors' | 'same-origin';
  readonly origins: readonly string[];
  readonly secretHeaders: readonly string[];
  /** Bytes of an answer, at most. */
  readonly answerSize: number;
}

/** The contents of one call. The last one is kept for `refresh`, and for loops without parameters. */
export interface Asked {
  readonly params: InputParams;
  readonly data: RequestData;
  readonly options: InvokeOptions;
  /** The body as it was sent; null to encode it from the data. */
  readonly encoded: EncodedBody | Promise<EncodedBody> | null;
  /** The query whose answer it renews, where nobody but the page itself asks. */
  readonly renews?: object | undefined;
}

/** Everything that goes into an invocation. */
export interface Ingredients extends Asked {
  readonly action: Action;
  /** The name of the action in messages and `inspect()`. */
  readonly label: string;
  readonly callbacks: readonly ConfigureRequest[];
  readonly settings: ConnectionSettings;
  readonly baseUrl: string;
  readonly documentUrl: string;
  /** The templates of the actions that it makes stale. */
  readonly invalidates?: readonly string[] | undefined;
  /** True where the stored validators go along. */
  readonly revalidate: boolean;
  /** True where what is stored is told while the server is asked (default false). */
  readonly storedFirst?: boolean;
}

/** An invocation without its body, and the body, which the platform may take a while to read. */
export interface Prepared {
  readonly encoded: EncodedBody | Promise<EncodedBody>;
  readonly timeout: number;
  /** The headers that it has without a body. */
  readonly headers: readonly Header[];
  readonly finish: (encoded: EncodedBody) => Invocation;
}

/**
 * Checks a call and makes an invocation of it.
 * @throws RestError where a check refuses a parameter; TypeError or RangeError where an argument is wrong; any error
 * that a `configureRequest` callback throws.
 */
export function prepare(ingredients: Ingredients): Prepared {
  const { action, params, data, options } = ingredients;
  assertParams(action.name, params);
  runChecks(action.name, action.checks, params);
  assertOptions(action.name, options);
  const encodedParams = encodeParams(params);
  const draft = drawUp(ingredients);
  const contentType = draft.getRequestHeader('Content-Type');
  const encoded = ingredients.encoded ?? encodeBody(action.name, action.method, data, contentType);
  const finish = ({ body, contentType: wanted }: EncodedBody): Invocation => {
    if (wanted !== null && contentType === null) draft.setRequestHeader('Content-Type', wanted);
    return {
      action: ingredients.label,
      method: action.method,
      template: action.template,
      baseUrl: ingredients.baseUrl,
      documentUrl: ingredients.documentUrl,
      params: encodedParams,
      headers: draft.headers,
      body,
      policy: policyOf(ingredients, draft),
    };
  };
  return { encoded, timeout: draft.timeout, headers: draft.headers, finish };
}

/** An option of the call wins over the description's, and the description's over the connection's. */
function policyOf(
  { action, options, settings, revalidate, storedFirst, invalidates }: Ingredients,
  draft: RequestDraft,
): Policy {
  return {
    timeout: draft.timeout,
    retry: options.retry ?? action.options.retry ?? settings.retry,
    credentials: draft.credentials,
    mode: options.mode ?? action.options.mode ?? settings.mode,
    cache: options.cache ?? action.options.cache ?? 'default',
    revalidate: revalidate || options.reload === true,
    ...(storedFirst && { storedFirst }),
    ...(invalidates && { invalidates }),
    answerSize: settings.answerSize,
    origins: settings.origins,
    secretHeaders: settings.secretHeaders,
    transform: action.options.transform?.length ? [action.options.transform].flat() : undefined,
  };
}

/** Headers of the description are set first, then those of the callbacks in their order, then those of the call. */
function drawUp({ action, params, data, options, callbacks, settings }: Ingredients): RequestDraft {
  const draft = new RequestDraft({
    action: action.name,
    method: action.method,
    template: action.template,
    params,
    data,
    timeout: options.timeout ?? action.options.timeout ?? settings.timeout,
    credentials: options.credentials ?? action.options.credentials ?? settings.credentials,
  });
  if (action.options.response === TEXT) draft.setAccept(TEXT_ACCEPT);
  setHeaders(draft, action.options.headers);
  for (const callback of callbacks) {
    const returned: unknown = callback(draft, action.name, params, data);
    if (returned instanceof Promise)
      throw new TypeError(`configureRequest must not return a promise: '${action.name}' is sent at once`);
  }
  assertOptions(action.name, draft);
  setHeaders(draft, options.headers);
  return draft;
}

function setHeaders(draft: RequestDraft, headers: RequestHeaders = {}): void {
  for (const [name, value] of settable(headers)) draft.setRequestHeader(name, value);
}

/** @throws TypeError where a name or a value cannot be sent. */
export function settable(headers: RequestHeaders): readonly Header[] {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  let all: readonly Header[] = [];
  for (const [name, value] of pairs) {
    assertSettable(name, value);
    all = withHeader(all, name, value.trim());
  }
  return all;
}

export function callRules(): Rules<InvokeOptions> {
  return { ...actionRules(), signal: aSignal(), reload: aFlag() };
}

/** Inspects and changes a request before it is sent. The call throws its errors. It must not return a promise. */
export type ConfigureRequest = (
  request: RequestDraft,
  action: string,
  params: InputParams,
  data: RequestData,
) => void;

/** A request that is not sent yet, as `configureRequest` sees it. */
export class RequestDraft {
  declare readonly action: string;
  declare readonly method: string;
  declare readonly template: string;
  declare readonly params: InputParams;
  declare readonly data: RequestData;
  /** Milliseconds until the last byte of the answer. */
  declare timeout: number;
  declare credentials: RequestCredentials;
  #headers: readonly Header[] = [['Accept', DEFAULT_ACCEPT]];

  constructor(
    draft: Pick<
      RequestDraft,
      'action' | 'method' | 'template' | 'params' | 'data' | 'timeout' | 'credentials'
    >,
  ) {
    Object.assign(this, draft);
  }

  /** The data of the call, by its classic name; `RequestData` says what it may be. */
  get requestData(): RequestData {
    return this.data;
  }

  /** The classic name of `method`. */
  getMethod(): string {
    return this.method;
  }

  /** The classic name of `template`. The worker expands the template later, so there is no other URL yet. */
  getUrl(): string {
    return this.template;
  }

  get headers(): readonly Header[] {
    return this.#headers;
  }

  /** @throws TypeError where the name or the value cannot be sent. */
  setRequestHeader(name: string, value: string): void {
    assertSettable(name, value);
    this.#headers = withHeader(this.#headers, name, value.trim());
  }

  /** The value of a header so far; null where there is none. */
  getRequestHeader(name: string): string | null {
    return headerValue(this.#headers, name);
  }

  removeRequestHeader(name: string): void {
    this.#headers = removedFrom(this.#headers, name);
  }

  setAccept(mediaTypes: string): void {
    this.setRequestHeader('Accept', mediaTypes);
  }
}
