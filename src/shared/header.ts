/** Milliseconds: a longer `Retry-After` counts as this. */
export const LONGEST_RETRY_AFTER = 3_600_000;

/** The `Accept` header of a page that sets none. */
export const DEFAULT_ACCEPT = 'application/json, */*;q=0.5';

/** The same for an action whose answer is text. */
export const TEXT_ACCEPT = 'text/*, */*;q=0.5';

/** Headers by which a request says which version it is about (RFC 9110 section 13.1). */
export const CONDITIONS: readonly string[] = [
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
  'if-range',
];

/** One header as it is sent: its name as written, its value. */
export type Header = readonly [name: string, value: string];

/** RFC 9110 section 5.6.2: the characters of a header's name or a method. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** RFC 9110 section 5.5, within what fetch can send: characters of one byte, no line breaks. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text);
}

/** Headers that fetch drops silently (Fetch, "forbidden request-header"); a clear error is better. */
const FORBIDDEN = [
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'date',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
];

/** True for a header that only the browser may set. */
export function isBrowsersOwn(name: string): boolean {
  const lower = name.toLowerCase();
  return FORBIDDEN.includes(lower) || lower.startsWith('sec-') || lower.startsWith('proxy-');
}

/** @throws TypeError where the name or the value cannot be sent. */
export function assertSettable(name: unknown, value: unknown): asserts value is string {
  if (typeof name !== 'string' || !isToken(name)) {
    throw new TypeError(`Header name '${String(name)}' is not an HTTP token`);
  }
  if (typeof value !== 'string' || !isHeaderValue(value)) {
    throw new TypeError(
      `Value of header '${name}' must be a string of Latin-1 characters without line breaks`,
    );
  }
  if (isBrowsersOwn(name)) throw new TypeError(`Header '${name}' is the browser's own and cannot be set`);
}

/** The value of a header, by case-insensitive name; null where there is none. */
export function headerValue(headers: readonly Header[], name: string): string | null {
  const wanted = name.toLowerCase();
  return headers.findLast(([each]) => each.toLowerCase() === wanted)?.[1] ?? null;
}

const WEAK = /^W\//;

/** Weak comparison (RFC 9110 section 8.8.3.2): servers weaken a validator where they compress, and not always. */
export function isSameTag(one: string, other: string): boolean {
  return one.replace(WEAK, '') === other.replace(WEAK, '');
}

export function withoutHeader(headers: readonly Header[], name: string): Header[] {
  const dropped = name.toLowerCase();
  return headers.filter(([each]) => each.toLowerCase() !== dropped);
}

export function withHeader(headers: readonly Header[], name: string, value: string): Header[] {
  return [...withoutHeader(headers, name), [name, value]];
}

/** The headers of a request without that one. Without `Accept`, fetch asks for any type, which is another request. */
export function removedFrom(headers: readonly Header[], name: string): Header[] {
  return /^accept$/i.test(name) ? withHeader(headers, 'Accept', '*/*') : withoutHeader(headers, name);
}

/** Carriers of credentials: never stored, never shown (invariant 14). */
const SECRET = ['authorization', 'cookie', 'proxy-authorization'];

export function isSecret(name: string, secretHeaders: readonly string[]): boolean {
  const lower = name.toLowerCase();
  return SECRET.includes(lower) || secretHeaders.some((each) => each.toLowerCase() === lower);
}

/** The headers without the values of secret ones, so that they may be shown. */
export function redacted(headers: readonly Header[], secretHeaders: readonly string[]): Header[] {
  return headers.map(([name, value]) => [name, isSecret(name, secretHeaders) ? 'redacted' : value]);
}

/** True where bodies of the media type are JSON: `application/json`, `text/json` or any `+json`. */
export function isJsonType(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json');
}

/**
 * `type/subtype` of a Content-Type in lower case, without parameters; empty where there is none. Where the header was
 * sent twice, the last valid value counts, as with fetch ("extract a MIME type").
 */
export function essenceOf(contentType: string | null): string {
  const essences = listed(contentType ?? '').map((each) => each.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return essences.findLast(isMediaType) ?? essences[0] ?? '';
}

const LISTED = /(?:[^,"]|"(?:\\.?|[^"\\])*"?)+/g;

/** The items between the commas of a header, as they are written; commas in quotes do not divide. */
export function listed(value: string): string[] {
  return value.match(LISTED) ?? [];
}

function isMediaType(essence: string): boolean {
  return essence !== '*/*' && /.\/./.test(essence) && isToken(essence.replace('/', ''));
}

export function saysJson(headers: readonly Header[]): boolean {
  return isJsonType(headerValue(headers, 'content-type'));
}

/** Headers that say how stored answers are to be used, not what is asked for. */
const DIRECTING = ['cache-control', 'pragma'];

/** The headers that say what is asked for. */
export function askingHeaders(headers: readonly Header[]): Header[] {
  return headers.filter(([name]) => !DIRECTING.includes(name.toLowerCase()));
}

/** The headers that the page set, as one text, regardless of the order and case of names; empty where it set none. */
export function pageSetHeaders(headers: readonly Header[]): string {
  const lines = headers
    .map(([name, value]): Header => [name.toLowerCase(), value.trim()])
    .filter(([name, value]) => name !== 'accept' || value !== DEFAULT_ACCEPT)
    .map((header) => JSON.stringify(header));
  return lines.toSorted().join('\n');
}

/**
 * Milliseconds that an answer asks for with `Retry-After` (RFC 9110 section 10.2.3: seconds or an HTTP date), at most
 * an hour; null where it has none, or neither of these. A date counts from the server's own `Date` (section 6.6.1), so
 * that a device with a wrong clock waits as long as any other. Where that is missing, or unreadable from another
 * origin, it counts from `receivedAt`.
 */
export function retryAfter(headers: readonly Header[], receivedAt: number): number | null {
  // A header that was sent twice, by a server and by the proxy before it, comes as one: the longest wait counts.
  const values = headerValue(headers, 'retry-after')?.match(SECONDS_OR_DATE) ?? [];
  const waits = values.flatMap((each) => waitOf(each.trim(), headers, receivedAt) ?? []);
  return waits.length === 0 ? null : Math.min(Math.max(...waits, 0), LONGEST_RETRY_AFTER);
}

/** The items between the commas of a `Retry-After`; the comma after the name of a day does not divide. */
const SECONDS_OR_DATE = /\s*(?:[A-Z][a-z]+,)?[^,]+/g;

function waitOf(text: string, headers: readonly Header[], receivedAt: number): number | null {
  return /^\d+$/.test(text) ? Number(text) * 1_000 : untilDate(text, headers, receivedAt);
}

function untilDate(text: string, headers: readonly Header[], receivedAt: number): number | null {
  const date = instantOf(text);
  return date === null ? null : date - (instantOf(headerValue(headers, 'date') ?? '') ?? receivedAt);
}

/**
 * An HTTP date (RFC 9110 section 5.6.7) in milliseconds of the epoch; null for anything else.
 * Every form of one begins with the name of a day; `Date.parse` alone would accept "-5". All are in GMT,
 * although the oldest form (`Sun Nov 6 08:49:37 1994`) does not say so.
 */
export function instantOf(value: string): number | null {
  const text = value.trim();
  if (!/^[A-Z][a-z]{2}/.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : date;
}
