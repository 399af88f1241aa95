import type { Invocation, Policy } from '../../shared/invocation.ts';
import { actionRules, assertOptions } from './action.ts';
import type { Action, ActionOptions, RequestHeaders } from './action.ts';
import { encodeBody } from './body.ts';
import type { EncodedBody, RequestData } from './body.ts';
import { runChecks } from './check.ts';
import { aSignal } from './option-checks.ts';
import type { Rules } from './option-checks.ts';
import { assertParams, encodeParams } from './params.ts';
import type { InputParams } from './params.ts';
import { RequestDraft } from './request-draft.ts';
import type { ConfigureRequest } from './request-draft.ts';

/** What one call may say beside its parameters and data; headers come after what `configureRequest` set. */
export interface InvokeOptions extends ActionOptions {
  /** Aborts the call; its reason becomes the error's `cause`. */
  readonly signal?: AbortSignal;
}

/** What a connection says for all its calls. */
export interface ConnectionSettings {
  readonly timeout: number;
  readonly retry: number;
  readonly credentials: RequestCredentials;
  readonly mode: 'cors' | 'same-origin';
  readonly origins: readonly string[];
  readonly secretHeaders: readonly string[];
  /** Bytes of an answer. */
  readonly answerSize: number;
}

/** Everything that goes into an invocation. */
export interface Ingredients {
  readonly action: Action;
  /** The action as messages and `inspect()` call it. */
  readonly label: string;
  readonly params: InputParams;
  readonly data: RequestData;
  readonly options: InvokeOptions;
  readonly callbacks: readonly ConfigureRequest[];
  readonly settings: ConnectionSettings;
  readonly baseUrl: string;
  readonly documentUrl: string;
  /** Whether the stored validators go along. */
  readonly revalidate: boolean;
  /** The body of the call that is repeated; null to encode it from the data. */
  readonly encoded: EncodedBody | Promise<EncodedBody> | null;
}

/** An invocation but for its body, and the body, which may take the platform a while to read. */
export interface Prepared {
  readonly encoded: EncodedBody | Promise<EncodedBody>;
  readonly timeout: number;
  readonly finish: (encoded: EncodedBody) => Invocation;
}

/**
 * Checks a call and makes an invocation of it.
 * @throws RestError where a check refuses a parameter; TypeError or RangeError where an argument is wrong; whatever a
 * `configureRequest` callback throws.
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
  return { encoded, timeout: draft.timeout, finish };
}

/** The call decides before the description, the description before the connection. */
function policyOf({ action, options, settings, revalidate }: Ingredients, draft: RequestDraft): Policy {
  return {
    timeout: draft.timeout,
    retry: options.retry ?? action.options.retry ?? settings.retry,
    credentials: draft.credentials,
    mode: options.mode ?? action.options.mode ?? settings.mode,
    cache: options.cache ?? action.options.cache ?? 'default',
    revalidate,
    answerSize: settings.answerSize,
    origins: settings.origins,
    secretHeaders: settings.secretHeaders,
    transform: action.options.transform?.length ? [action.options.transform].flat() : undefined,
  };
}

/** Headers come from the description, then from the callbacks in their order, then from the call. */
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
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  for (const [name, value] of pairs) draft.setRequestHeader(name, value);
}

export function callRules(): Rules<InvokeOptions> {
  return { ...actionRules(), signal: aSignal() };
}
