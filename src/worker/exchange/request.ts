import type { Failure } from '../../shared/failure.ts';
import {
  CONDITIONS,
  headerValue,
  isSameTag,
  redacted,
  withHeader,
  essenceOf,
  isSecret,
} from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { messageOf } from '../../shared/failure.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Reading } from '../contracts/read-body.ts';
import type { Owner } from './bounds.ts';

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

export interface Confinement {
  readonly mode: 'cors' | 'same-origin';
  readonly redirect: 'follow' | 'manual';
}

/**
 * Reads follow redirects, writes never do: a redirected write may have been applied, and the page cannot know which
 * server would apply it again. Headers that the page set are for the origin it asks. So the browser itself confines a
 * read with more than safelisted headers; a look at the final URL would come too late.
 */
export function confine(invocation: Invocation, url: string): Confinement {
  const { method, policy } = invocation;
  const isPrivate = !invocation.headers.every((header) => isForAnyone(header, policy.secretHeaders));
  const own = isOwnOrigin(invocation, url);
  const follows = (method === 'GET' || method === 'HEAD') && (!isPrivate || own);
  return {
    mode: own && (policy.origins.length === 0 || isPrivate) ? 'same-origin' : policy.mode,
    redirect: follows ? 'follow' : 'manual',
  };
}

/** Why the origin that an answer comes from is not allowed; null if it is. */
export function misled(invocation: Invocation, url: string, response: Response): Failure | null {
  if (isUnfollowed(invocation, url, response)) return unfollowed(invocation, url);
  const from = response.url === '' ? url : response.url;
  if (from === url) return null;
  if ([url, invocation.documentUrl, ...invocation.policy.origins].some((each) => isSameOrigin(each, from)))
    return null;
  return {
    code: 'blocked-url',
    message:
      `The answer to ${invocation.method} ${url} came from ${from} and was discarded: ` +
      'name its origin in the option "origins" of connect() to allow it',
  };
}

/** Browsers hide a redirect that is not followed, Node shows it as it came. */
function isUnfollowed(invocation: Invocation, url: string, response: Response): boolean {
  if (response.type === 'opaqueredirect') return true;
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && response.headers.has('location');
  return isRedirect && confine(invocation, url).redirect === 'manual';
}

/** The origin that sent the answer, if that is not the one asked; otherwise null. */
export function senderOf(url: string, response: Response): string | null {
  return response.url === '' || isSameOrigin(url, response.url) ? null : originOf(response.url);
}

/** The URL that a redirect led to; null if it is the one asked. Fragments do not count. */
export function finalUrlOf(url: string, response: Response): string | null {
  if (response.url === '') return null;
  const asked = new URL(url);
  asked.hash = '';
  return response.url === asked.href ? null : response.url;
}

function unfollowed(invocation: Invocation, url: string): Failure {
  const { method } = invocation;
  const why =
    method === 'GET' || method === 'HEAD'
      ? 'it carries headers of the page to another origin'
      : 'it is a write';
  return {
    code: 'redirected',
    message: `${method} ${url} was answered with a redirect, which is not followed since ${why}: use the final URL`,
  };
}

/** Fetch standard, "CORS-safelisted request-header": browsers send these to any origin without a preflight. */
const SAFELISTED = ['accept', 'accept-language', 'content-language'];
const SAFELISTED_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** True if even an origin that the page has not asked may get this header. */
function isForAnyone([name, value]: Header, secretHeaders: readonly string[]): boolean {
  if (isSecret(name, secretHeaders) || value.length > 128) return false;
  const lower = name.toLowerCase();
  return (
    SAFELISTED.includes(lower) || (lower === 'content-type' && SAFELISTED_TYPES.includes(essenceOf(value)))
  );
}

export function isOwnOrigin(invocation: Invocation, url: string): boolean {
  return isSameOrigin(invocation.documentUrl, url);
}

function isSameOrigin(one: string, other: string): boolean {
  return originOf(one) === originOf(other);
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return url;
  }
}
