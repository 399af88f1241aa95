import type { Failure } from '../../shared/failure.ts';
import { essenceOf, isSecret } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

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
