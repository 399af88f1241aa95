import { headerValue } from './header.ts';
import type { Header } from './header.ts';

/** Milliseconds: what is asked for beyond that is not heeded. */
export const LONGEST_RETRY_AFTER = 3_600_000;

/**
 * Milliseconds that an answer asks for with `Retry-After` (RFC 9110 section 10.2.3: seconds or an HTTP date), at most
 * an hour; null where it does not, or with what is neither. A date counts from when the server says that it wrote the
 * answer (`Date`, section 6.6.1), so that a device whose clock is wrong waits as long as any other; where it does not
 * say so, or another origin's may not be read, from `receivedAt`.
 */
export function retryAfter(headers: readonly Header[], receivedAt: number): number | null {
  const text = headerValue(headers, 'retry-after')?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : untilDate(text, headers, receivedAt);
  return wait === null ? null : Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER);
}

function untilDate(text: string, headers: readonly Header[], receivedAt: number): number | null {
  const date = instantOf(text);
  return date === null ? null : date - (instantOf(headerValue(headers, 'date') ?? '') ?? receivedAt);
}

/**
 * Every form of an HTTP date begins with the name of a day; `Date.parse` alone would take "-5" for a date. All are
 * in GMT, though the oldest (`Sun Nov  6 08:49:37 1994`) does not say so.
 */
function instantOf(value: string): number | null {
  const text = value.trim();
  if (!/^[A-Z][a-z]{2}/.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : date;
}
