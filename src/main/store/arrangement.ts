import { jsonOf } from '../resource/body.ts';
import { assertRules } from '../resource/option-checks.ts';
import type { FunctionCall, RowsQuery } from '../../shared/part.ts';

/** A function of the worker by its name, or by its name and what it is given after the rows, which has to be JSON. */
export type NamedFunction = string | readonly [name: string, ...given: unknown[]];

/** Which rows of a list a window goes through, and in which order. */
export interface Arrangement {
  /** Is given a row, and says whether it is shown (default: all are). */
  readonly filter?: NamedFunction | undefined;
  /** Is given two rows, and says below 0 where the first comes first (default: the order of the list). */
  readonly sorter?: NamedFunction | undefined;
}

/** An arrangement as the worker is told of it. */
export type Arranged = Pick<RowsQuery, 'filter' | 'sorter'>;

/**
 * Null where nothing is filtered or sorted.
 * @throws TypeError where a function has no name, or what it is given is no JSON.
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

/** JSON writes null for it, or leaves it out; a member that is undefined is as good as none. */
function isAltered(value: unknown, isItem: boolean): boolean {
  if (typeof value === 'object' || (value === undefined && !isItem)) return false;
  return JSON.stringify([value]) === '[null]';
}
