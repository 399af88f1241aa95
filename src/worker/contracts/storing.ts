import type { Failure } from '../../shared/failure.ts';
import { headerValue, isSecret } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';

// The gate: what may be written to a disk, and how, for answers of the cache, answers of feeds and states of loops alike.
// What answers are compared with is in memory alone. Sizes, and whether all was cleared meanwhile, are looked at by the
// storage and by `Orders`, since both may change until the write.

/** True if the answer may be stored: neither server, request nor policy forbid that. */
export function mayBeStored(
  { headers, policy }: Pick<Invocation, 'headers' | 'policy'>,
  answer: readonly Header[],
): boolean {
  return policy.cache !== 'network-only' && !forbidsStoring(headers) && !forbidsStoring(answer);
}

/** RFC 9111 sections 5.2.1.5 and 5.2.2.5. */
export function forbidsStoring(headers: readonly Header[]): boolean {
  return directivesOf(headers).has('no-store');
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

/** How much its body has, stored or not. The text of what could not be read has no size. */
export function sizeOfAnswer({ body }: Answer): number {
  if (body.kind === 'bytes') return body.bytes.byteLength;
  return body.size ?? (typeof body.value === 'string' ? body.value.length : 0);
}

/** The body of an answer may be private, so it is not stored; what reads it quotes it. What the app throws where it makes a request may quote a secret. */
export function storableFailure(failure: Failure): Failure {
  switch (failure.code) {
    case 'http':
      return { ...failure, body: null };
    case 'parse':
      return { ...failure, message: 'The answer could not be parsed' };
    case 'schema':
      return { ...failure, message: 'The answer does not match its schema', issues: [] };
    case 'function':
      return { ...failure, message: 'A function of the worker has failed with the answer' };
    case 'protocol':
      return { ...failure, message: 'The request could not be made, or went wrong in the worker' };
    case 'credentials':
      return { ...failure, message: 'No credentials were to be had' };
    default:
      return failure;
  }
}

/** What the app throws where it makes a request may quote a secret; the rest of what is known of the answer may be shown. */
export function tellableFailure(failure: Failure): Failure {
  const isOfApp =
    failure.code === 'protocol' || failure.code === 'credentials' || failure.code === 'function';
  return isOfApp ? storableFailure(failure) : failure;
}

/** A directive's argument as it is sent; true where it has none. */
export type Directives = ReadonlyMap<string, string | true>;

/** RFC 9110 section 5.6.4: a backslash escapes a quote. Text without an end matches too, to be read only once. */
const QUOTED = /"(?:\\.|[^"\\])*("?)/g;

const DIRECTIVE = /([^\s,="]+)(?:\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,]*)))?/g;

/**
 * The directives of `Cache-Control`; the first of each name counts (RFC 9111 section 4.2.1). Text in quotes is an
 * argument; after a quote that is never closed, directives count.
 */
export function directivesOf(headers: readonly Header[]): Directives {
  const value = headerValue(headers, 'cache-control') ?? '';
  const closed = value.replaceAll(QUOTED, (text: string, end: string) => (end ? text : text.slice(1)));
  const directives = new Map<string, string | true>();
  for (const [, name = '', quoted, bare] of closed.matchAll(DIRECTIVE)) {
    const lower = name.toLowerCase();
    if (!directives.has(lower)) directives.set(lower, quoted ?? bare ?? true);
  }
  return directives;
}

/** RFC 9111 section 1.2.2: what is more counts as this. */
const MOST_SECONDS = 2 ** 31;

/** Seconds; null if there is no such directive, 0 if its argument is not a whole number. */
export function secondsOf(directives: Directives, name: string): number | null {
  const text = directives.get(name);
  if (text === undefined) return null;
  return typeof text === 'string' && /^\d+$/.test(text) ? Math.min(Number(text), MOST_SECONDS) : 0;
}
