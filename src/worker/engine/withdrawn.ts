import { headerValue } from '../../shared/header.ts';
import { isSafe } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';

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
  return failure.code === 'http' && statuses.includes(failure.status);
}

/**
 * The URLs of which a write that may be done may have changed what they say: its own, and what `Location` and
 * `Content-Location` name on the same origin (RFC 9111 section 4.4).
 */
export function outdatedBy(method: string, url: string, outcome: Outcome<unknown>): string[] {
  if (isSafe(method) || !mayBeDone(outcome)) return [];
  const headers = outcome.answer?.headers ?? [];
  const named = ['location', 'content-location'].flatMap((name) => headerValue(headers, name) ?? []);
  return [url, ...named.flatMap((reference) => onSameOrigin(url, reference) ?? [])];
}

function onSameOrigin(url: string, reference: string): string | null {
  if (!URL.canParse(reference, url)) return null;
  const named = new URL(reference, url);
  // Reads are known by their URLs without a fragment.
  named.hash = '';
  return named.origin === new URL(url).origin ? named.href : null;
}
