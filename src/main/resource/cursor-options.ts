import type { Cursor, CursorSource, CursorTarget, Wait } from '../../shared/cursor.ts';
import { LIMITS } from '../../shared/limits.ts';
import { canCarry } from '../../shared/place.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { unlessProduction } from '../development.ts';
import { assertApart, assertCursor, assertWait } from './cursor-checks.ts';
import type { CursorOptions, LongPollOptions, PollOptions, WaitOptions } from './loop-options.ts';
import { describe } from './params.ts';

/** A cursor whose request to catch up is not made yet. */
export interface CursorOrder extends Omit<Cursor, 'catchUp'> {
  /** The action; null for none. */
  readonly catchUp: string | null;
}

/** How a loop keeps its place, ready for the worker but for the request to catch up. */
export interface PlaceOrder extends Pick<LoopDeclaration, 'wait' | 'spread'> {
  readonly cursor?: CursorOrder;
}

/** @throws TypeError or RangeError where an option is wrong. */
export function pollPlaceOf(action: string, { cursor }: PollOptions): PlaceOrder {
  return cursor === undefined ? {} : { cursor: cursorOf(action, cursor) };
}

/** @throws TypeError or RangeError where an option is wrong. */
export function longPollPlaceOf(action: string, options: LongPollOptions): PlaceOrder {
  const { wait, spread = LIMITS.defaultSpread } = options;
  const place = pollPlaceOf(action, options);
  assertSpread(action, spread);
  if (wait === undefined) return { ...place, spread };
  const asked = waitOf(action, wait);
  unlessProduction(() => assertApart(action, place.cursor?.to, asked));
  return { ...place, wait: asked, spread };
}

function cursorOf(action: string, options: CursorOptions): CursorOrder {
  unlessProduction(() => assertCursor(action, options));
  const { from, plus = 0, initial, catchUp = null, kind = 'feed' } = options;
  const to = targetOf(options.to);
  return { kind, from: sourceOf(from), plus, to, initial: initialOf(action, initial, to), catchUp };
}

function waitOf(action: string, options: WaitOptions): Wait {
  unlessProduction(() => assertWait(action, options));
  if ('prefer' in options) return { kind: 'prefer', seconds: secondsOf(action, options.prefer) };
  return { kind: 'query', name: options.query, value: String(options.value) };
}

function sourceOf(from: CursorOptions['from']): CursorSource {
  if (from === 'etag') return { kind: 'etag' };
  return 'header' in from ? { kind: 'header', name: from.header } : { kind: 'body', pointer: from.body };
}

function targetOf(to: CursorOptions['to']): CursorTarget {
  if (to === 'if-none-match') return { kind: 'if-none-match' };
  return 'query' in to ? { kind: 'query', name: to.query } : { kind: 'header', name: to.header };
}

/** It may come from anywhere, from where an app has kept it for instance: it is looked at in every build. */
function initialOf(action: string, initial: CursorOptions['initial'], to: CursorTarget): string | null {
  if (initial === undefined) return null;
  const what = `Cursor of '${action}': 'initial'`;
  if (typeof initial !== 'string' && !Number.isFinite(initial))
    throw new TypeError(`${what} must be a string or a number, got ${describe(initial)}`);
  const place = String(initial);
  if (canCarry(to, place)) return place;
  throw new TypeError(`${what} cannot be sent where 'to' has it go`);
}

function secondsOf(action: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LIMITS.longPollWait) return seconds;
  throw new RangeError(
    `Wait of '${action}': 'prefer' must be a whole number of seconds from 1 to ${LIMITS.longPollWait}, got ${seconds}`,
  );
}

function assertSpread(action: string, spread: number): void {
  if (Number.isFinite(spread) && spread >= 0 && spread <= LIMITS.spread) return;
  throw new RangeError(`Spread of '${action}' must be from 0 to ${LIMITS.spread} ms, got ${spread}`);
}
