import { assertHeader, headerValue, withHeader, withoutHeader, DEFAULT_ACCEPT } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { RequestData } from './body.ts';
import type { InputParams } from './params.ts';

/** Looks at and changes a request before it is sent. What it throws leaves the call; it must not return a promise. */
export type ConfigureRequest = (
  request: RequestDraft,
  action: string,
  params: InputParams,
  data: RequestData,
) => void;

/** Headers that fetch drops without a word (Fetch, "forbidden request-header"): better a clear error. */
const FORBIDDEN = [
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'date',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
];

/** A request that is not sent yet, as `configureRequest` sees it. */
export class RequestDraft {
  readonly action: string;
  readonly method: string;
  readonly template: string;
  readonly params: InputParams;
  readonly data: RequestData;
  /** Milliseconds until the last byte of the answer. */
  timeout: number;
  credentials: RequestCredentials;
  #headers: readonly Header[] = [['Accept', DEFAULT_ACCEPT]];

  constructor(
    draft: Pick<
      RequestDraft,
      'action' | 'method' | 'template' | 'params' | 'data' | 'timeout' | 'credentials'
    >,
  ) {
    this.action = draft.action;
    this.method = draft.method;
    this.template = draft.template;
    this.params = draft.params;
    this.data = draft.data;
    this.timeout = draft.timeout;
    this.credentials = draft.credentials;
  }

  /** What the call carries, by its classic name: see `RequestData` for all that it may be. */
  get requestData(): RequestData {
    return this.data;
  }

  /** The classic name of `method`. */
  getMethod(): string {
    return this.method;
  }

  /** The classic name of `template`: the worker expands it, so there is no other URL yet. */
  getUrl(): string {
    return this.template;
  }

  /** The headers so far. */
  get headers(): readonly Header[] {
    return this.#headers;
  }

  /** @throws TypeError where the name or the value cannot be sent. */
  setRequestHeader(name: string, value: string): void {
    assertHeader(name, value);
    if (isBrowsersOwn(name)) throw new TypeError(`Header '${name}' is the browser's own and cannot be set`);
    this.#headers = withHeader(this.#headers, name, value.trim());
  }

  /** The value of a header so far; null where there is none. */
  getRequestHeader(name: string): string | null {
    return headerValue(this.#headers, name);
  }

  removeRequestHeader(name: string): void {
    this.#headers = withoutHeader(this.#headers, name);
  }

  setAccept(mediaTypes: string): void {
    this.setRequestHeader('Accept', mediaTypes);
  }
}

/** Whether a header is one that only the browser sets. */
export function isBrowsersOwn(name: string): boolean {
  const lower = name.toLowerCase();
  return FORBIDDEN.includes(lower) || lower.startsWith('sec-') || lower.startsWith('proxy-');
}
