import { headerValue, isSecret } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import { isTellable } from './vary.ts';

/** True if a call may use the cache at all. */
export function isCacheable(invocation: Invocation): boolean {
  return invocation.method === 'GET' && invocation.policy.cache !== 'network-only';
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers; a 206 is only a part of one. */
export function isStorable(
  { headers, policy }: Invocation,
  answer: Answer<unknown>,
  isIdentified: boolean,
): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    status !== 206 &&
    !forbidsStoring(answer.headers) &&
    !forbidsStoring(headers) &&
    isTellable(answer.headers, policy.secretHeaders, isIdentified)
  );
}

/** RFC 9110 section 5.6.4: a backslash escapes a quote. Text without an end matches too, to be read only once. */
const QUOTED = /"(?:\\.|[^"\\])*("?)/g;

/** RFC 9111 sections 5.2.1.5 and 5.2.2.5. Text in quotes is an argument, not a directive. */
export function forbidsStoring(headers: readonly Header[]): boolean {
  const value = headerValue(headers, 'cache-control') ?? '';
  const directives = value.replaceAll(QUOTED, (text: string, end: string) => (end ? '' : text)).split(',');
  return directives.some((each) => each.trim().toLowerCase() === 'no-store');
}

/** RFC 9111 section 3.1: these are about the connection, as are those that `Connection` names, or about cookies. */
const NOT_STORED = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'set-cookie',
];

/** Without the headers that RFC 9111 section 3.1 and invariant 14 keep out of storage. */
export function storableHeaders(headers: readonly Header[], secretHeaders: readonly string[]): Header[] {
  const named = (headerValue(headers, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const dropped = new Set([...NOT_STORED, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()) && !isSecret(name, secretHeaders));
}
