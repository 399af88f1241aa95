import type { CursorTarget } from './cursor.ts';
import { isHeaderValue } from './header.ts';

/** Whether a request can name a place where its cursor goes: no URL carries half a surrogate pair. */
export function canCarry(to: CursorTarget, place: string): boolean {
  return to.kind === 'query' ? !/\p{Surrogate}/u.test(place) : isHeaderValue(place);
}
