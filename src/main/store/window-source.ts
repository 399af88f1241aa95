import { LIMITS } from '../../shared/limits.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import type { QueryRecord } from '../queries/record.ts';
import type { RestStoreStatus } from './status.ts';

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
