import { LIMITS } from '../../shared/limits.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import type { Answered } from '../resource/listening.ts';
import type { RestStoreStatus } from './status.ts';

/** How a window stands: as its store does, and where it is. */
export interface StoreWindowStatus extends RestStoreStatus {
  /** The length of the whole list; null before the first rows. */
  readonly total: number | null;
  /** The first row of the model, from 0, and how many were asked for. */
  readonly start: number;
  readonly count: number;
}

/** Where a window gets its rows. */
export interface WindowSource {
  /** What the newest answer was made into, where it came whole; null where its parts are to be asked for. */
  readonly whole: () => Whole | null;
  /** The newest answer; null before the first. */
  readonly answered: () => Answered | null;
  readonly part: (invocation: Invocation, wish: Omit<RowsQuery, 'pointer'>) => Promise<RowsAnswer>;
  /** @throws TypeError where the worker cannot filter or sort, since models are made in the page. */
  readonly assertArrangeable: () => void;
  /** Parts cannot be had. Returns whether the whole comes instead. */
  readonly lackParts: () => boolean;
  readonly status: () => RestStoreStatus;
  /** Begins to tell the window of answers and of the store's status; the returned function ends that. */
  readonly join: (member: WindowMember) => () => void;
}

export interface WindowMember {
  readonly answered: () => void;
  readonly statusChanged: () => void;
  readonly dispose: () => void;
}

export interface Whole {
  readonly model: unknown;
  /** As in `Answered`. */
  readonly question: string;
  readonly revision: Revision | null;
}

/** Rows of a list, by their numbers from 0. */
export interface Range {
  readonly start: number;
  readonly count: number;
}

/** @throws TypeError where one is no number; RangeError where it is no whole number from 0, or there are too many rows. */
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
