import type { Header } from './header.ts';

/**
 * One call of an action with all that is needed to serve it, so that any worker can (design: the worker keeps
 * no routes). Plain data: it crosses threads by structured clone.
 */
export interface Invocation {
  /** The action's name: a label for messages and `inspect()`, never a key. */
  readonly action: string;
  /** An HTTP token in upper case. */
  readonly method: string;
  /** The URL template as declared; valid, since `map` refuses malformed ones. */
  readonly template: string;
  /** Text put before the template, with exactly one slash between; empty for none. */
  readonly baseUrl: string;
  /** The page's `document.baseURI`, against which the whole is resolved. */
  readonly documentUrl: string;
  readonly params: Params;
  /** What the page set, `Accept` and `Content-Type` included. */
  readonly headers: readonly Header[];
  readonly body: RequestBody;
  readonly policy: Policy;
}

/** Values by name, in the order given; absent ones (undefined, null, lists of nothing else) are left out. */
export type Params = readonly (readonly [name: string, value: ParamValue])[];

/** RFC 6570 section 2.3: a string, a list, or an associative array as pairs. Everything in it is text by now. */
export type ParamValue = string | readonly string[] | { readonly pairs: readonly Pair[] };

export type Pair = readonly [key: string, value: string];

/** What a request carries. Its Content-Type, where it has one, stands among the headers. */
export type RequestBody =
  | { readonly kind: 'none' }
  /** Data of a GET or HEAD, encoded: joins the URL's query. */
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: ArrayBuffer };

/** How an invocation is to be sent and answered: connection, description and call, resolved in that order. */
export interface Policy {
  /** Milliseconds until the last byte of the answer, repetitions and the worker's own hook included. */
  readonly timeout: number;
  /** How many times a safe or idempotent request is repeated on network failure, 408, 425, 429 and 5xx. */
  readonly retry: number;
  readonly credentials: 'omit' | 'same-origin' | 'include';
  readonly mode: 'cors' | 'same-origin';
  /** `network-only`: neither stored nor answered from what is stored. */
  readonly cache: CachePolicy;
  /** Whether the stored validators (ETag, Last-Modified) go along, as polls and `refresh` do. */
  readonly revalidate: boolean;
  /** Bytes of the answer, as they come out of the content coding: a larger one fails. */
  readonly answerSize: number;
  /** Origins beside the page's own that redirects may reach. */
  readonly origins: readonly string[];
  /** Names of headers to redact, beside Authorization, Cookie and Proxy-Authorization. */
  readonly secretHeaders: readonly string[];
  /** Names of the worker's functions that each answer goes through, in their order; missing for none. */
  readonly transform?: readonly string[] | undefined;
}

export type CachePolicy = 'default' | 'network-only';

/** Methods that fetch refuses. */
export const REFUSED_METHODS: readonly string[] = ['TRACE', 'TRACK', 'CONNECT'];

/** RFC 9110 section 9.2.1. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** RFC 9110 section 9.2.2: sending it twice has the effect of sending it once. */
export function isIdempotent(method: string): boolean {
  return isSafe(method) || method === 'PUT' || method === 'DELETE';
}

/** A DELETE that was sent twice finds nothing the second time: that is its success. */
export function isGone(method: string, status: number): boolean {
  return method === 'DELETE' && (status === 404 || status === 410);
}
