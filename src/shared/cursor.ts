import type { Invocation } from './invocation.ts';
import { isHeaderValue } from './header.ts';

/** How a loop follows a feed: where an answer names the next cursor, and where the next request names it. */
export interface Cursor {
  /** For a state only the newest answer matters, for a feed every answer (invariant 7). */
  readonly kind: 'state' | 'feed';
  readonly from: CursorSource;
  /** Added to a numeric cursor; 0 for none. */
  readonly plus: number;
  readonly to: CursorTarget;
  /** The cursor of the first request; null to leave it out. */
  readonly initial: string | null;
  /** The request for the whole state and the first cursor, made at the start and after a reset; null for none. */
  readonly catchUp: Invocation | null;
}

/** Where an answer names the next cursor: a header, a JSON pointer into its body (RFC 6901), its ETag. */
export type CursorSource =
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'body'; readonly pointer: string }
  | { readonly kind: 'etag' };

/** Where a request names its cursor. An existing parameter of that name in the query is replaced. */
export type CursorTarget =
  | { readonly kind: 'query'; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'if-none-match' };

/** How a request asks the server to hold it. */
export type Wait =
  /** `Prefer: wait=<seconds>` (RFC 7240). */
  | { readonly kind: 'prefer'; readonly seconds: number }
  | { readonly kind: 'query'; readonly name: string; readonly value: string };

/** True where a request can carry this cursor in its target: no URL carries half a surrogate pair. */
export function canCarry(to: CursorTarget, cursorValue: string): boolean {
  return to.kind === 'query' ? !/\p{Surrogate}/u.test(cursorValue) : isHeaderValue(cursorValue);
}
