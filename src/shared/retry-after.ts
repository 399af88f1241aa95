/** Milliseconds: what is asked for beyond that is not heeded. */
export const LONGEST_RETRY_AFTER = 3_600_000;

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds or an HTTP date), at most an
 * hour; null where there is none or it is neither.
 */
export function retryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : untilDate(text, now);
  return wait === null ? null : Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER);
}

/**
 * Every form of an HTTP date begins with the name of a day; `Date.parse` alone would take "-5" for a date. All are
 * in GMT, though the oldest (`Sun Nov  6 08:49:37 1994`) does not say so.
 */
function untilDate(text: string, now: number): number | null {
  if (!/^[A-Z][a-z]{2}/.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : date - now;
}
