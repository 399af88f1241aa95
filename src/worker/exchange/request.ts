import type { Failure } from '../../shared/failure.ts';
import { headerValue, redacted, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { messageOf } from '../../shared/failure.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Reading } from '../contracts/read-body.ts';
import type { Owner } from './bounds.ts';
import { confine, isOwnOrigin } from './redirects.ts';

/** One request to be made. */
export interface Order {
  readonly invocation: Invocation;
  /** Absolute, expanded and found safe. */
  readonly url: string;
  /** Of the stored answer that a 304 would confirm; null to ask unconditionally. */
  readonly validators: Validators | null;
  readonly reading: Reading;
  /** Who it is for: those wait for each other in turns. */
  readonly owner: Owner;
  /** Its place among the writes to its URL, by which it is repeated or not; null for what is no write. */
  readonly write: WriteTurn | null;
}

/** A write among the others to its URL. */
export interface WriteTurn {
  /** True once a newer write may be done: repeating this one would undo it. */
  readonly isOutdone: boolean;
  /** Resolves with whether it may be repeated, once that is known. */
  mayBeRepeated(): Promise<boolean>;
  /** An answer to it was lost. */
  lose(): void;
}

/** RFC 9110 section 8.8. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A request that `fetch` will take. */
export interface Ready {
  readonly kind: 'ready';
  readonly init: RequestInit;
  /** Whether a 304 would confirm the order's validators, rather than other conditions that the page set itself. */
  readonly confirms: boolean;
  readonly request: SentRequest;
}

export interface Unsendable {
  readonly kind: 'failed';
  readonly failure: Failure;
  readonly answer: null;
  readonly request: null;
}

/** Whatever `fetch` would refuse is found here, so that what it rejects later can only be the network. */
export function prepare(order: Order): Ready | Unsendable {
  const { invocation, url } = order;
  const validating = validatingHeaders(order);
  const sent = validating.reduce(
    (headers, [name, value]) => withHeader(headers, name, value),
    [...invocation.headers],
  );
  const headers = new Headers();
  for (const [name, value] of sent) {
    if (!accepts(headers, name, value)) return unsendable(`header '${name}' is not a valid one`, order);
  }
  const init = initOf(invocation, url, headers);
  // Only whether there is a body matters here: a large one is not copied for the question.
  const objection = objectionTo(() => new Request(url, { ...init, body: init.body === null ? null : '' }));
  if (objection !== null) return unsendable(objection, order);
  const request = {
    method: invocation.method,
    url,
    headers: redacted(sent, invocation.policy.secretHeaders),
  };
  return { kind: 'ready', init, confirms: validating.length > 0 || asksForStored(order), request };
}

const CONDITIONS = ['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since', 'if-range'];

/**
 * RFC 9111 section 4.3.1. To another origin no date goes along: every server's Last-Modified can be read across
 * origins, but few allow the preflight that If-Modified-Since would cause. A readable ETag was exposed on purpose.
 */
function validatingHeaders({ invocation, url, validators }: Order): Header[] {
  const { method, headers } = invocation;
  if (validators === null || (method !== 'GET' && method !== 'HEAD')) return [];
  if (CONDITIONS.some((name) => headerValue(headers, name) !== null)) return [];
  const { etag, lastModified } = validators;
  const added: Header[] = etag === null ? [] : [['If-None-Match', etag]];
  if (lastModified !== null && isOwnOrigin(invocation, url)) added.push(['If-Modified-Since', lastModified]);
  return added;
}

/** The page's own If-None-Match may be that of the stored answer: a cursor that is an ETag is. */
function asksForStored({ invocation, validators }: Order): boolean {
  const asked = headerValue(invocation.headers, 'if-none-match');
  return asked !== null && asked === validators?.etag;
}

function accepts(headers: Headers, name: string, value: string): boolean {
  try {
    headers.append(name, value);
    return true;
  } catch {
    return false;
  }
}

function initOf(invocation: Invocation, url: string, headers: Headers): RequestInit {
  return {
    method: invocation.method,
    headers,
    body: bodyOf(invocation.body),
    credentials: invocation.policy.credentials,
    ...confine(invocation, url),
    // The browser's own cache would make identical requests wait for each other (platform.md).
    cache: 'no-store',
  };
}

/** Data of a GET stands in the URL by now. */
function bodyOf(body: RequestBody): BodyInit | null {
  switch (body.kind) {
    case 'none':
    case 'query':
      return null;
    case 'text':
      return body.text;
    case 'bytes':
      return body.bytes;
    default:
      return unreachable(body);
  }
}

/** What is wrong with a request, from the platform's own mouth. */
function objectionTo(make: () => Request): string | null {
  try {
    make();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function unsendable(why: string, { invocation, url }: Order): Unsendable {
  const message = `${invocation.method} ${url} cannot be sent: ${why}`;
  return { kind: 'failed', failure: { code: 'protocol', message }, answer: null, request: null };
}
