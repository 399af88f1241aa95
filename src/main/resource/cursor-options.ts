import type { Cursor, CursorSource, CursorTarget, Wait } from '../../shared/cursor.ts';
import { LIMITS } from '../../shared/limits.ts';
import { canCarry } from '../../shared/cursor.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { unlessProduction } from '../development.ts';
import type { CursorOptions, LongPollOptions, PollOptions, WaitOptions } from './loop.ts';
import { describe, isPlainObject } from './params.ts';
import { isBrowsersOwn, isToken } from '../../shared/header.ts';
import { isPointer } from '../../shared/part.ts';
import { assertKnown } from './option-checks.ts';

// The options that an app writes once and its compiler checks: a production build does not check them again. The worker
// refuses what slips through, since it validates every message.

const CURSOR: readonly (keyof CursorOptions)[] = ['from', 'plus', 'to', 'initial', 'catchUp', 'kind'];

/** A cursor before its catch-up request is made. */
export interface CursorOrder extends Omit<Cursor, 'catchUp'> {
  /** The name of the catch-up action; null for none. */
  readonly catchUp: string | null;
}

/** The cursor and waiting options of a loop's declaration; only the catch-up request is not made yet. */
export interface CursorDeclaration extends Pick<LoopDeclaration, 'wait' | 'spread'> {
  readonly cursor?: CursorOrder;
}

/** @throws TypeError or RangeError where an option is wrong. */
export function pollCursorOf(action: string, { cursor }: PollOptions): CursorDeclaration {
  return cursor === undefined ? {} : { cursor: cursorOf(action, cursor) };
}

/** @throws TypeError or RangeError where an option is wrong. */
export function longPollCursorOf(action: string, options: LongPollOptions): CursorDeclaration {
  const { wait, spread = LIMITS.defaultSpread } = options;
  const declared = pollCursorOf(action, options);
  assertSpread(action, spread);
  if (wait === undefined) return { ...declared, spread };
  const asked = waitOf(action, wait);
  unlessProduction(() => assertApart(action, declared.cursor?.to, asked));
  return { ...declared, wait: asked, spread };
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

/** Checked in every build: the value may come from anywhere, for instance from the app's own storage. */
function initialOf(action: string, initial: CursorOptions['initial'], to: CursorTarget): string | null {
  if (initial === undefined) return null;
  const what = `Cursor of '${action}': 'initial'`;
  if (typeof initial !== 'string' && !Number.isFinite(initial))
    throw new TypeError(`${what} must be a string or a number, got ${describe(initial)}`);
  const text = String(initial);
  if (canCarry(to, text)) return text;
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

/** @throws TypeError or RangeError where the cursor options are wrong. */
function assertCursor(action: string, options: CursorOptions): void {
  const where = `Cursor of '${action}'`;
  assertObject(where, options);
  assertKnown(`the cursor of '${action}'`, options, CURSOR);
  const { plus = 0, catchUp = null, kind = 'feed' } = options;
  assertTarget(where, options.to);
  if (!Number.isSafeInteger(plus))
    throw new RangeError(`${where}: 'plus' must be a whole number, got ${plus}`);
  if (!['state', 'feed'].includes(kind))
    throw new TypeError(`${where}: 'kind' must be 'state' or 'feed', got '${kind}'`);
  if (catchUp !== null) assertText(`${where}: 'catchUp'`, 'the name of an action', catchUp);
  assertSource(where, options.from);
}

/** @throws TypeError where the wait options are wrong. */
function assertWait(action: string, options: WaitOptions): void {
  const where = `Wait of '${action}'`;
  assertObject(where, options);
  if ('prefer' in options) return assertKnown(`the wait of '${action}'`, options, ['prefer']);
  assertKnown(`the wait of '${action}'`, options, ['query', 'value']);
  assertParameter(`${where}: 'query'`, options.query);
  if (typeof options.value !== 'string' && !Number.isFinite(options.value))
    throw new TypeError(`${where}: 'value' must be a string or a number, got ${describe(options.value)}`);
}

/** @throws TypeError where one query parameter would carry both the cursor and the wait. */
function assertApart(action: string, to: CursorTarget | undefined, wait: Wait): void {
  if (to?.kind !== 'query' || wait.kind !== 'query' || to.name !== wait.name) return;
  throw new TypeError(`Wait of '${action}': '${to.name}' is where its cursor goes`);
}

function assertSource(where: string, from: unknown): void {
  if (from === 'etag') return;
  const [name, value] = onlyEntry(from);
  switch (name) {
    case 'header':
      return assertReadable(`${where}: header of 'from'`, value);
    case 'body':
      return assertPointer(`${where}: body of 'from'`, value);
    default:
      throw new TypeError(`${where}: 'from' must be { header: name }, { body: '/json/pointer' } or 'etag'`);
  }
}

function assertTarget(where: string, to: unknown): void {
  if (to === 'if-none-match') return;
  const [name, value] = onlyEntry(to);
  switch (name) {
    case 'query':
      return assertParameter(`${where}: query of 'to'`, value);
    case 'header':
      return assertSettable(`${where}: header of 'to'`, value);
    default:
      throw new TypeError(`${where}: 'to' must be { query: name }, { header: name } or 'if-none-match'`);
  }
}

/** The single property of a plain object; empty for any other value. */
function onlyEntry(value: unknown): readonly [name?: string, value?: unknown] {
  const [entry = [], ...others] = isPlainObject(value) ? Object.entries(value) : [];
  return others.length === 0 ? entry : [];
}

/** Browsers show cookies to no script. */
function assertReadable(what: string, name: unknown): void {
  assertToken(what, name);
  if (!['set-cookie', 'set-cookie2'].includes(name.toLowerCase())) return;
  throw new TypeError(`${what}: '${name}' is the browser's own and cannot be read`);
}

function assertSettable(what: string, name: unknown): void {
  assertToken(what, name);
  if (isBrowsersOwn(name)) throw new TypeError(`${what}: '${name}' is the browser's own and cannot be set`);
}

function assertToken(what: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && isToken(name)) return;
  throw new TypeError(`${what} must be an HTTP token, got '${String(name)}'`);
}

function assertPointer(what: string, pointer: unknown): void {
  if (typeof pointer === 'string' && pointer !== '' && isPointer(pointer)) return;
  throw new TypeError(`${what} must be a JSON pointer that begins with '/', got '${String(pointer)}'`);
}

function assertParameter(what: string, name: unknown): void {
  assertText(what, 'the name of a parameter', name);
  if (!canCarry({ kind: 'query', name }, name)) throw new TypeError(`${what} holds half of a surrogate pair`);
}

function assertText(what: string, wanted: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${what} must be ${wanted}, got ${value === '' ? 'an empty string' : describe(value)}`);
}

function assertObject(what: string, options: unknown): void {
  if (!isPlainObject(options)) throw new TypeError(`${what} must be an object, got ${describe(options)}`);
}
