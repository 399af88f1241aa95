import CachePolicy from 'http-cache-semantics';
import { headerValue, instantOf } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { CacheLifetimes } from '../../shared/invocation.ts';
import { directivesOf, secondsOf } from '../contracts/storing.ts';
import type { Directives } from '../contracts/storing.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

// RFC 9111 section 4.2 by http-cache-semantics, with what that leaves out: names of directives in any case, text in
// quotes, values that are no numbers, dates in all forms and no others, and the age that a Date tells.

/** How a stored answer stands at some instant. All times are seconds. */
export interface Freshness {
  /** How long it is fresh, from when its server made it. */
  readonly lifetime: number;
  readonly age: number;
  /** False if it must be validated first, however young it is. */
  readonly isReusable: boolean;
  /** True if it must not be served once it is not fresh, not even without a network. */
  readonly isStrict: boolean;
  /** How long it may be served after its lifetime if its server fails (RFC 5861). */
  readonly staleIfError: number;
  /** How long it may be told after its lifetime while its server is asked (RFC 5861). */
  readonly staleWhileRevalidate: number;
}

/** What freshness goes by. */
type Described = Pick<
  StoredResponse,
  'headers' | 'receivedAt' | 'delay' | 'url' | 'status' | 'isOutdated' | 'sender' | 'finalUrl'
>;

/** `now` is in milliseconds of the epoch. */
export function freshnessOf(
  stored: Described,
  now: number,
  lifetimes: CacheLifetimes | null = null,
): Freshness {
  const { headers, receivedAt, url, status, isOutdated = false } = stored;
  const directives = directivesOf(headers);
  const said = Object.fromEntries(headers.map(dated));
  const policy = CachePolicy.fromObject({
    v: 1,
    t: receivedAt,
    sh: false,
    ch: 0.1,
    imm: 0,
    st: readAs(status, headers, directives),
    resh: said,
    rescc: numbered(directives),
    m: 'GET',
    u: url,
    h: '',
    a: true,
    reqh: null,
    reqcc: {},
  });
  // A clock that was set back says nothing of the age, so the answer is taken for old.
  const resident = now < receivedAt ? Infinity : (now - receivedAt) / 1_000;
  const isAppsOwn = lifetimes !== null && !saysLifetime(headers, directives);
  return {
    lifetime: isAppsOwn ? lifetimes.maxAge : policy.maxAge(),
    age: Math.max(apparentAge(stored), ageSaid(headers) + delayOf(stored)) + resident,
    isReusable: !isOutdated && !saysNoCache(headers, directives) && (isAppsOwn || !isOfRedirect(stored)),
    isStrict: directives.has('must-revalidate') || saysNoCache(headers, directives),
    staleIfError: secondsOf(directives, 'stale-if-error') ?? lifetimes?.staleIfError ?? 0,
    staleWhileRevalidate:
      secondsOf(directives, 'stale-while-revalidate') ?? lifetimes?.staleWhileRevalidate ?? 0,
  };
}

/**
 * True if a redirect led to it. What it says of its lifetime is about the URL that sent it. What the redirect said of its
 * own cannot be read, and without a word of that a redirect may be another one next time (RFC 9110 section 15.4.3).
 */
function isOfRedirect({ sender, finalUrl }: Pick<Described, 'sender' | 'finalUrl'>): boolean {
  return sender !== undefined || finalUrl !== undefined;
}

/**
 * Seconds since its server made or confirmed it, as far as is said; from its receipt, if the clock went back since.
 * `now` is in milliseconds of the epoch.
 */
export function ageOf(stored: Pick<Described, 'headers' | 'receivedAt' | 'delay'>, now: number): number {
  const said = ageSaid(stored.headers);
  const known = (Number.isFinite(said) ? said : 0) + delayOf(stored);
  return Math.max(apparentAge(stored), known) + Math.max(0, (now - stored.receivedAt) / 1_000);
}

/** RFC 9111 section 4.2.3. */
function apparentAge({ headers, receivedAt }: Pick<Described, 'headers' | 'receivedAt'>): number {
  const date = instantOf(headerValue(headers, 'date') ?? '');
  return date === null ? 0 : Math.max(0, (receivedAt - date) / 1_000);
}

const DATES = ['date', 'expires', 'last-modified'];

/** `Date.parse`, by which the library goes, takes a bare number for a year, and one form of a date for local time. */
function dated([name, value]: Header): Header {
  const lower = name.toLowerCase();
  if (!DATES.includes(lower)) return [lower, value];
  const instant = instantOf(value);
  return [lower, instant === null ? 'none' : new Date(instant).toUTCString()];
}

/** The time that an answer was on its way counts, as its server's clock may be another: RFC 9111 section 4.2.3. */
function delayOf({ delay = 0 }: Pick<Described, 'delay'>): number {
  return Math.max(0, delay) / 1_000;
}

/** Statuses whose meaning for a cache is known (RFC 9110 section 15). */
const UNDERSTOOD = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501];

/**
 * What says for how long it is fresh, or that it is `public`, is as fresh as a 200 would be, whatever its status (RFC
 * 9111 section 3), unless the status `must-understand`.
 */
function readAs(status: number, headers: readonly Header[], directives: Directives): number {
  if (directives.has('must-understand') && !UNDERSTOOD.includes(status)) return status;
  const isExplicit = directives.has('max-age') || headerValue(headers, 'expires') !== null;
  return isExplicit || directives.has('public') ? 200 : status;
}

/** True if its server says for how long it is fresh, or that it is not. */
function saysLifetime(headers: readonly Header[], directives: Directives): boolean {
  return (
    directives.has('max-age') || saysNoCache(headers, directives) || headerValue(headers, 'expires') !== null
  );
}

/** RFC 9111 section 5.4: `Pragma` counts where there is no `Cache-Control`. `no-cache` of a field counts as for all. */
export function saysNoCache(headers: readonly Header[], directives: Directives): boolean {
  if (directives.has('no-cache')) return true;
  return directives.size === 0 && /(^|,)\s*no-cache\s*(,|$)/i.test(headerValue(headers, 'pragma') ?? '');
}

/** Seconds; an age that is not one whole number counts as any age (RFC 9111 section 5.1 leaves that open). */
export function ageSaid(headers: readonly Header[]): number {
  const said = headerValue(headers, 'age')?.trim() ?? '0';
  return /^\d+$/.test(said) ? Number(said) : Infinity;
}

/** The directives as the library has them, all arguments of seconds being whole numbers. */
function numbered(directives: Directives): Record<string, string> {
  const seconds = secondsOf(directives, 'max-age');
  const flags = ['public', 'immutable'].filter((name) => directives.has(name));
  return {
    ...Object.fromEntries(flags.map((name) => [name, '1'])),
    ...(seconds !== null && { 'max-age': String(seconds) }),
  };
}
