import type { Invocation } from './invocation.ts';
import { isHeaderValue } from './header.ts';

/**
 * How a loop finds its place in what a server tells: where the next place stands in an answer, and where it goes in the
 * next request.
 */
export interface Cursor {
  /** Of a state the newest answer is all that matters; of a feed every answer does (invariant 7). */
  readonly kind: 'state' | 'feed';
  readonly from: CursorSource;
  /** Added to a numeric place; 0 for none. */
  readonly plus: number;
  readonly to: CursorTarget;
  /** The place of the first request; null to leave it out. */
  readonly initial: string | null;
  /** What gives the whole state and the first place: asked at the start and after a reset; null for none. */
  readonly catchUp: Invocation | null;
}

/** Where an answer names the next place: a header, a place in its JSON body (RFC 6901), its ETag. */
export type CursorSource =
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'body'; readonly pointer: string }
  | { readonly kind: 'etag' };

/** Where a request names its place. A parameter of the query that is there already is replaced. */
export type CursorTarget =
  | { readonly kind: 'query'; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'if-none-match' };

/** How a request asks the server to hold it. */
export type Wait =
  /** `Prefer: wait=<seconds>` (RFC 7240). */
  | { readonly kind: 'prefer'; readonly seconds: number }
  | { readonly kind: 'query'; readonly name: string; readonly value: string };

/** Whether a request can name a place where its cursor goes: no URL carries half a surrogate pair. */
export function canCarry(to: CursorTarget, place: string): boolean {
  return to.kind === 'query' ? !/\p{Surrogate}/u.test(place) : isHeaderValue(place);
}
