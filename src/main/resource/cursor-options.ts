import type { Cursor, CursorSource, CursorTarget, Wait } from '../../shared/cursor.ts';
import { isToken } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { canCarry, isPointer } from '../../shared/place.ts';
import { assertKnown } from './action.ts';
import type { CursorOptions, LongPollOptions, PollOptions, WaitOptions } from './loop-options.ts';
import { describe, isPlainObject } from './params.ts';
import { isBrowsersOwn } from './request-draft.ts';

/** A cursor whose request to catch up is not made yet. */
export interface CursorOrder extends Omit<Cursor, 'catchUp'> {
  /** The action; null for none. */
  readonly catchUp: string | null;
}

const CURSOR: readonly (keyof CursorOptions)[] = ['from', 'plus', 'to', 'initial', 'catchUp', 'kind'];

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
  assertApart(action, place.cursor, asked);
  return { ...place, wait: asked, spread };
}

function cursorOf(action: string, options: CursorOptions): CursorOrder {
  const where = `Cursor of '${action}'`;
  assertObject(where, options);
  assertKnown(`the cursor of '${action}'`, options, CURSOR);
  const { plus = 0, catchUp = null, kind = 'feed' } = options;
  const to = targetOf(where, options.to);
  if (!Number.isSafeInteger(plus))
    throw new RangeError(`${where}: 'plus' must be a whole number, got ${plus}`);
  assertWord(`${where}: 'kind'`, kind, ['state', 'feed']);
  if (catchUp !== null) assertText(`${where}: 'catchUp'`, 'the name of an action', catchUp);
  return {
    kind,
    from: sourceOf(where, options.from),
    plus,
    to,
    initial: initialOf(where, options.initial, to),
    catchUp,
  };
}

function waitOf(action: string, options: WaitOptions): Wait {
  const where = `Wait of '${action}'`;
  assertObject(where, options);
  if ('prefer' in options) {
    assertKnown(`the wait of '${action}'`, options, ['prefer']);
    return { kind: 'prefer', seconds: secondsOf(where, options.prefer) };
  }
  assertKnown(`the wait of '${action}'`, options, ['query', 'value']);
  assertParameter(`${where}: 'query'`, options.query);
  return { kind: 'query', name: options.query, value: scalarOf(`${where}: 'value'`, options.value) };
}

/** One parameter cannot say both. */
function assertApart(action: string, cursor: CursorOrder | undefined, wait: Wait): void {
  const to = cursor?.to;
  if (to?.kind !== 'query' || wait.kind !== 'query' || to.name !== wait.name) return;
  throw new TypeError(`Wait of '${action}': '${to.name}' is where the place of its cursor goes`);
}

function assertSpread(action: string, spread: number): void {
  if (Number.isFinite(spread) && spread >= 0 && spread <= LIMITS.spread) return;
  throw new RangeError(`Spread of '${action}' must be from 0 to ${LIMITS.spread} ms, got ${spread}`);
}

function sourceOf(where: string, from: unknown): CursorSource {
  if (from === 'etag') return { kind: 'etag' };
  const [name, value] = onlyEntry(from);
  switch (name) {
    case 'header':
      return { kind: 'header', name: readable(`${where}: header of 'from'`, value) };
    case 'body':
      return { kind: 'body', pointer: pointerOf(`${where}: body of 'from'`, value) };
    default:
      throw new TypeError(`${where}: 'from' must be { header: name }, { body: '/json/pointer' } or 'etag'`);
  }
}

function targetOf(where: string, to: unknown): CursorTarget {
  if (to === 'if-none-match') return { kind: 'if-none-match' };
  const [name, value] = onlyEntry(to);
  switch (name) {
    case 'query':
      assertParameter(`${where}: query of 'to'`, value);
      return { kind: 'query', name: value };
    case 'header':
      return { kind: 'header', name: settable(`${where}: header of 'to'`, value) };
    default:
      throw new TypeError(`${where}: 'to' must be { query: name }, { header: name } or 'if-none-match'`);
  }
}

/** The one property of an object; none of what is no such object. */
function onlyEntry(value: unknown): readonly [name?: string, value?: unknown] {
  const [entry = [], ...others] = isPlainObject(value) ? Object.entries(value) : [];
  return others.length === 0 ? entry : [];
}

/** Browsers show no cookie to anybody. */
function readable(what: string, name: unknown): string {
  const token = tokenOf(what, name);
  if (!['set-cookie', 'set-cookie2'].includes(token.toLowerCase())) return token;
  throw new TypeError(`${what}: '${token}' is the browser's own and cannot be read`);
}

function settable(what: string, name: unknown): string {
  const token = tokenOf(what, name);
  if (!isBrowsersOwn(token)) return token;
  throw new TypeError(`${what}: '${token}' is the browser's own and cannot be set`);
}

function tokenOf(what: string, name: unknown): string {
  if (typeof name === 'string' && isToken(name)) return name;
  throw new TypeError(`${what} must be an HTTP token, got '${String(name)}'`);
}

function pointerOf(what: string, pointer: unknown): string {
  if (typeof pointer === 'string' && isPointer(pointer)) return pointer;
  throw new TypeError(`${what} must be a JSON pointer that begins with '/', got '${String(pointer)}'`);
}

function initialOf(where: string, initial: string | number | undefined, to: CursorTarget): string | null {
  if (initial === undefined) return null;
  const place = scalarOf(`${where}: 'initial'`, initial);
  if (canCarry(to, place)) return place;
  throw new TypeError(`${where}: 'initial' cannot be sent where 'to' has it go`);
}

function secondsOf(where: string, seconds: unknown): number {
  const known = Number.isInteger(seconds) ? Number(seconds) : 0;
  if (known >= 1 && known <= LIMITS.longPollWait) return known;
  throw new RangeError(
    `${where}: 'prefer' must be a whole number of seconds from 1 to ${LIMITS.longPollWait}, got ${String(seconds)}`,
  );
}

function scalarOf(what: string, value: unknown): string {
  if (typeof value === 'string' || Number.isFinite(value)) return String(value);
  throw new TypeError(`${what} must be a string or a number, got ${describe(value)}`);
}

function assertParameter(what: string, name: unknown): asserts name is string {
  assertText(what, 'the name of a parameter', name);
  if (!canCarry({ kind: 'query', name }, name)) throw new TypeError(`${what} holds half of a surrogate pair`);
}

function assertText(what: string, wanted: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${what} must be ${wanted}, got ${value === '' ? 'an empty string' : describe(value)}`);
}

function assertWord(what: string, word: string, words: readonly string[]): void {
  if (words.includes(word)) return;
  throw new TypeError(`${what} must be ${words.map((each) => `'${each}'`).join(' or ')}, got '${word}'`);
}

function assertObject(what: string, options: unknown): void {
  if (!isPlainObject(options)) throw new TypeError(`${what} must be an object, got ${describe(options)}`);
}
