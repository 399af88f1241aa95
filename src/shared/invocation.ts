import type { Header } from './header.ts';

/**
 * One call of an action, with everything needed to serve it, so that any worker can (design: the worker keeps no
 * routes). Plain data: it crosses threads by structured clone.
 */
export interface Invocation {
  /** The action's name: a label for messages and `inspect()`, never a key. */
  readonly action: string;
  /** An HTTP token in upper case. */
  readonly method: string;
  /** The URL template as declared; valid, since `map` refuses malformed ones. */
  readonly template: string;
  /** Text put before the template, joined with exactly one slash; empty for none. */
  readonly baseUrl: string;
  /** The page's `document.baseURI`, against which the URL is resolved. */
  readonly documentUrl: string;
  readonly params: Params;
  /** The headers that the page set, including `Accept` and `Content-Type`. */
  readonly headers: readonly Header[];
  readonly body: RequestBody;
  readonly policy: Policy;
}

/** Values by name, in the order given, without absent ones (undefined, null, lists of nothing else). */
export type Params = readonly (readonly [name: string, value: ParamValue])[];

/** RFC 6570 section 2.3: a string, a list, or an associative array as pairs. All values are text by now. */
export type ParamValue = string | readonly string[] | { readonly pairs: readonly Pair[] };

export type Pair = readonly [key: string, value: string];

/** The body of a request. Its Content-Type, if any, is among the headers. */
export type RequestBody =
  | { readonly kind: 'none' }
  /** Data of a GET or HEAD, encoded: it joins the URL's query. */
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: ArrayBuffer };

/** How an invocation is sent and answered: options of the call win over the description's, then the connection's. */
export interface Policy {
  /** Milliseconds until the last byte of the answer, including repetitions and the worker's own hook. */
  readonly timeout: number;
  /** How many times a safe or idempotent request is repeated on network failure, 408, 425, 429 and 5xx. */
  readonly retry: number;
  readonly credentials: 'omit' | 'same-origin' | 'include';
  readonly mode: 'cors' | 'same-origin';
  readonly cache: CachePolicy;
  /** True where the server is asked though a stored answer is fresh, with its validators, as in polls and `refresh`. */
  readonly revalidate: boolean;
  /** True where what is stored is told at once, before the server's answer; missing for false. */
  readonly storedFirst?: boolean | undefined;
  /** Bytes of the answer, after content decoding; a larger one fails. */
  readonly answerSize: number;
  /** Origins that redirects may reach, in addition to the page's own. */
  readonly origins: readonly string[];
  /** Names of headers to redact, in addition to Authorization, Cookie and Proxy-Authorization. */
  readonly secretHeaders: readonly string[];
  /** Templates below the same base URL of which a success makes all stored answers stale; missing for none. */
  readonly invalidates?: readonly string[] | undefined;
  /** Names of the worker's functions that each answer goes through, in this order; missing for none. */
  readonly transform?: readonly string[] | undefined;
}

/** How stored answers are used (RFC 9111). */
export type CachePolicy =
  /** A fresh answer is served without a request. Without a network any stored answer is served, marked stale. */
  | 'default'
  /** The same, but an answer that its server wants validated is not served without a network either. */
  | 'strict'
  /** The server is always asked. Without a network any stored answer is served, marked stale. */
  | 'network-first'
  /** Any stored answer is served. The server is asked only if there is none. */
  | 'cache-first'
  /** The server is never asked. */
  | 'cache-only'
  /** No answer is stored, and no stored answer is served. */
  | 'network-only'
  | CacheLifetimes;

/** `default`, with lifetimes in seconds for answers whose servers say nothing of theirs. */
export interface CacheLifetimes {
  /** How long an answer is fresh. */
  readonly maxAge: number;
  /** How long it may stand, after that, for a failure of the server with 500, 502, 503 or 504. */
  readonly staleIfError?: number | undefined;
  /** How long it may be told, after that, while its server is asked. */
  readonly staleWhileRevalidate?: number | undefined;
}

/** Methods that fetch refuses. */
export const REFUSED_METHODS: readonly string[] = ['TRACE', 'TRACK', 'CONNECT'];

/** RFC 9110 section 9.2.1. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Methods whose answer may name the version that they have made of what they were sent to. */
export const REPLACING: readonly string[] = ['PUT', 'PATCH'];

/** RFC 9110 section 9.2.2: sending it twice has the same effect as sending it once. */
export function isIdempotent(method: string): boolean {
  return isSafe(method) || method === 'PUT' || method === 'DELETE';
}

/** A DELETE that is sent twice finds nothing the second time, which means success. */
export function isGone(method: string, status: number): boolean {
  return method === 'DELETE' && (status === 404 || status === 410);
}

/** Names what a request asks for, whatever else its call has wished. */
export function askedOf({ method, baseUrl, template, params, headers, body }: Invocation): string {
  return JSON.stringify([method, baseUrl, template, params, headers, body]);
}

/** In bytes, or characters of text. */
export function sizeOfRequestBody(body: RequestBody): number {
  switch (body.kind) {
    case 'none':
      return 0;
    case 'bytes':
      return body.bytes.byteLength;
    default:
      return body.text.length;
  }
}
