import { headerValue, isSecret, essenceOf, isJsonType } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';

/** Whether the cache has to do with a call at all. */
export function isCacheable(invocation: Invocation): boolean {
  return invocation.method === 'GET' && invocation.policy.cache !== 'network-only';
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers; a 206 is but a part of one. */
export function isStorable(invocation: Invocation, answer: Answer<unknown>): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    status !== 206 &&
    !forbidsStoring(answer.headers) &&
    !forbidsStoring(invocation.headers)
  );
}

/**
 * RFC 9110 section 5.6.4: a backslash makes the quote after it a part of the text. Text without an end matches too, so that
 * it is gone through once, rather than from each quote in it.
 */
const QUOTED = /"(?:\\.|[^"\\])*("?)/g;

/** RFC 9111 sections 5.2.1.5 and 5.2.2.5. What stands in quotes is an argument, not a directive. */
export function forbidsStoring(headers: readonly Header[]): boolean {
  const value = headerValue(headers, 'cache-control') ?? '';
  const directives = value.replaceAll(QUOTED, (text: string, end: string) => (end ? '' : text)).split(',');
  return directives.some((each) => each.trim().toLowerCase() === 'no-store');
}

/** Without what RFC 9111 section 3.1 and invariant 14 keep out of storage. */
export function storableHeaders(headers: readonly Header[], secretHeaders: readonly string[]): Header[] {
  return headers.filter(([name]) => name.toLowerCase() !== 'set-cookie' && !isSecret(name, secretHeaders));
}

/**
 * The key of an answer within its partition. Of the headers, the credentials mode and the functions that it went through, only
 * a salted digest is in it, so that no secret is ever stored, nor can be told by trying (invariant 14). A fragment is no part of the request (RFC 9110 section 7.1).
 */
export function cacheKey(url: string, digest: string): string {
  return `${digest} ${url.split('#', 1)[0] ?? ''}`;
}

/**
 * Whether an answer is the page of a captive portal rather than the server's own word: HTML where the last good
 * answer was JSON (invariant 4).
 */
export function looksLikePortal(previous: readonly Header[], headers: readonly Header[]): boolean {
  return isJsonType(headerValue(previous, 'content-type')) && isHtml(headerValue(headers, 'content-type'));
}

function isHtml(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return essence === 'text/html' || essence === 'application/xhtml+xml';
}
