import { headerValue } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';

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
