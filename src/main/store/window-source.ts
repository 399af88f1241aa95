import { LIMITS } from '../../shared/limits.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer, FunctionCall } from '../../shared/part.ts';
import type { QueryRecord } from '../queries/record.ts';
import type { RestStoreStatus } from './status.ts';
import { jsonOf } from '../resource/body.ts';
import { assertRules } from '../resource/option-checks.ts';

/** A window's status: the store's, with the window's position. */
export interface StoreWindowStatus extends RestStoreStatus {
  /** The length of the whole list; null before the first rows. */
  readonly total: number | null;
  /** The index of the model's first row, from 0, and how many rows were asked for. */
  readonly start: number;
  readonly count: number;
}

export interface WindowSource {
  /** The newest answer's model where the answer came whole; null where its parts are to be requested. */
  readonly whole: () => Whole | null;
  /** The query whose newest answer the rows are of; null before the first answer. */
  readonly answered: () => QueryRecord | null;
  readonly part: (invocation: Invocation, wish: Omit<RowsQuery, 'pointer'>) => Promise<RowsAnswer>;
  /** @throws TypeError where the worker cannot filter or sort, since the page makes the models. */
  readonly assertArrangeable: () => void;
  /** Parts are not available. Returns true where the whole answer comes instead. */
  readonly lackParts: () => boolean;
  readonly status: () => RestStoreStatus;
  /** Tells the window of answers and of the store's status from now on; the returned function ends that. */
  readonly join: (member: WindowMember) => () => void;
}

export interface WindowMember {
  readonly answered: () => void;
  readonly statusChanged: () => void;
  /** Another user has come. */
  readonly empty: () => void;
  readonly dispose: () => void;
}

export interface Whole {
  readonly model: unknown;
  readonly record: QueryRecord;
  readonly revision: Revision | null;
}

/** Some rows of a list, by index from 0. */
export interface Range {
  readonly start: number;
  readonly count: number;
}

/** @throws TypeError where one is not a number; RangeError where it is not a whole number from 0, or too large. */
export function rangeOf(start: unknown, count: unknown): Range {
  return { start: wholeOf('start', start), count: countOf(count) };
}

function countOf(count: unknown): number {
  const whole = wholeOf('count', count);
  if (whole <= LIMITS.windowRows) return whole;
  throw new RangeError(`A window has at most ${LIMITS.windowRows} rows, got a count of ${whole}`);
}

function wholeOf(name: string, value: unknown): number {
  if (typeof value !== 'number')
    throw new TypeError(`The ${name} of a window must be a number, got ${typeof value}`);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`The ${name} of a window must be a whole number from 0, got ${value}`);
}

/** The name of a worker's function, or a list of its name and further arguments, which must be JSON. */
export type NamedFunction = string | readonly [name: string, ...given: unknown[]];

/** Which rows of a list a window shows, and in which order. */
export interface Arrangement {
  /** Gets a row and returns true where it is shown (default: all rows). */
  readonly filter?: NamedFunction | undefined;
  /** Gets two rows and returns a number below 0 where the first comes first (default: the order of the list). */
  readonly sorter?: NamedFunction | undefined;
}

/** An arrangement as it is sent to the worker. */
export type Arranged = Pick<RowsQuery, 'filter' | 'sorter'>;

/**
 * Null where nothing is filtered or sorted.
 * @throws TypeError where a function has no name, or its arguments are not JSON.
 */
export function arrangedBy(arrangement: Arrangement): Arranged | null {
  assertRules('a window', arrangement, () => ({ filter: null, sorter: null }));
  const { filter, sorter } = arrangement;
  if (filter === undefined && sorter === undefined) return null;
  return {
    ...(filter !== undefined && { filter: callOf('filter', filter) }),
    ...(sorter !== undefined && { sorter: callOf('sorter', sorter) }),
  };
}

function callOf(what: string, named: NamedFunction): FunctionCall {
  const [name, ...given] = [named].flat();
  if (typeof name === 'string' && name !== '') return { name, given: jsonOf(given, isAltered) ?? '[]' };
  throw new TypeError(`The ${what} of a window must name a function of the worker, got ${typeof named}`);
}

/** True where JSON would write null, or leave an item out. An undefined member is the same as none. */
function isAltered(value: unknown, isItem: boolean): boolean {
  if (typeof value === 'object' || (value === undefined && !isItem)) return false;
  return JSON.stringify([value]) === '[null]';
}
