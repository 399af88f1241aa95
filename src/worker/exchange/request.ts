import type { Failure } from '../../shared/failure.ts';
import { headerValue, isSameTag, redacted, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { messageOf } from '../../shared/failure.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Reading } from '../contracts/read-body.ts';
import type { Owner } from './bounds.ts';
import { confine, isOwnOrigin } from './redirects.ts';

export interface Order {
  readonly invocation: Invocation;
  /** Absolute, expanded and found safe. */
  readonly url: string;
  /** Validators of the stored answer that a 304 would confirm; null to ask unconditionally. */
  readonly validators: Validators | null;
  /** The ETag of the stored answer, by which the page or a cursor may ask itself; null if there is none. */
  readonly storedTag: string | null;
  readonly reading: Reading;
  /** Owners take turns in the pool of requests. */
  readonly owner: Owner;
  /** Its turn among the writes to its URL, which decides if it may be repeated; null if it is not a write. */
  readonly write: WriteTurn | null;
}

export interface WriteTurn {
  /** True once a newer write may be done: repeating this one would undo it. */
  readonly isOutdone: boolean;
  /** True if no newer write is under way, or may be done. */
  readonly isNewest: boolean;
  /** True after the wait, once no newer write is under way; false as soon as it is outdone. */
  mayBeRepeated(wait: Promise<void>): Promise<boolean>;
}

/** RFC 9110 section 8.8. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface Ready {
  readonly kind: 'ready';
  readonly init: RequestInit;
  /** True if a 304 would confirm the order's validators, not other conditions that the page itself set. */
  readonly confirms: boolean;
  readonly request: SentRequest;
}

export interface Unsendable {
  readonly kind: 'failed';
  readonly failure: Failure;
  readonly answer: null;
  readonly request: null;
}

/** Finds everything that `fetch` would refuse, so that a later rejection can only be the network's. */
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
  if (init.mode === 'same-origin' && !isOwnOrigin(invocation, url))
    return unsendable("its mode is 'same-origin', which asks no other origin", order);
  // The check only needs to know if there is a body: a large one is not copied for it.
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
 * RFC 9111 section 4.3.1. Another origin gets no If-Modified-Since: any server's Last-Modified is readable across
 * origins, but few servers allow the preflight that the header would cause. A readable ETag was exposed on purpose.
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

/** The page's own If-None-Match may be the stored answer's ETag: a cursor may be that ETag. */
function asksForStored({ invocation, storedTag }: Order): boolean {
  const asked = headerValue(invocation.headers, 'if-none-match');
  return asked !== null && storedTag !== null && isSameTag(asked, storedTag);
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

/** A GET has its data in the URL by now. */
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

/** The platform's own message about what is wrong with a request; null if nothing is. */
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
