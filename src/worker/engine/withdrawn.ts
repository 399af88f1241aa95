import { headerValue } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { isSafe } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Answer, Outcome } from '../../shared/outcome.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import type { Suspect } from '../exchange/portal.ts';

/** Statuses that say of a URL that nothing is there, or not for this user. */
const GONE = [404, 410];
const REFUSED = [401, 403, ...GONE];

/**
 * True if what is stored for the URL must not be served any more: it is deleted, or this user may not read it. A write
 * that is refused says nothing about what may be read.
 */
export function isWithdrawn(method: string, outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return method === 'DELETE';
  const { failure } = outcome;
  if (method === 'OPTIONS') return false;
  const statuses = isSafe(method) ? REFUSED : GONE;
  if (failure.code === 'http') return statuses.includes(failure.status);
  return method === 'DELETE' && isUnread(outcome);
}

/** True if the server has done it, and only its answer cannot be read. A portal's page is no answer of the server. */
function isUnread({ failure, answer, request }: Extract<Outcome<unknown>, { kind: 'failed' }>): boolean {
  if (request === null) return false;
  return failure.code === 'function' || (failure.code === 'parse' && answer !== null);
}

/** What tells a refusal of a captive portal or a proxy from one of the server. `asked`: the headers of the request. */
export function suspectOf(
  { headers, body }: Answer<ReadBody>,
  asked: readonly Header[],
  before: readonly Header[] | null,
): Suspect {
  const size = body.kind === 'value' ? (body.size ?? 0) : body.bytes.byteLength;
  return { asked, before, headers, size };
}

/**
 * The URLs of which a write that may be done may have changed what they say: its own, and what `Location` and
 * `Content-Location` name on the same origin (RFC 9111 section 4.4).
 */
export function outdatedBy(method: string, url: string, outcome: Outcome<unknown>): string[] {
  if (isSafe(method) || !mayBeDone(outcome)) return [];
  const headers = outcome.answer?.headers ?? [];
  const named = ['location', 'content-location'].flatMap((name) => headerValue(headers, name) ?? []);
  return [url, ...new Set(named.flatMap((reference) => onSameOrigin(url, reference)))];
}

/** True if they name the same, however their characters are written (RFC 3986 section 6.2.2). */
export function isSameUrl(one: string, other: string): boolean {
  return one === other || normalized(one) === normalized(other);
}

/** As it is written, and as it is usually written. */
function onSameOrigin(url: string, reference: string): string[] {
  if (!URL.canParse(reference, url)) return [];
  const named = new URL(reference, url);
  // Reads are known by their URLs without a fragment.
  named.hash = '';
  return named.origin === new URL(url).origin ? [named.href, normalized(named.href)] : [];
}

function normalized(url: string): string {
  return url.replaceAll(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
