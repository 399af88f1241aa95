import { jsonOf } from '../resource/body.ts';
import { assertRules } from '../resource/option-checks.ts';
import type { FunctionCall, RowsQuery } from '../../shared/part.ts';

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
