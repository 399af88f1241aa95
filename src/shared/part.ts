import type { Failure } from './failure.ts';
import type { Revision } from './outcome.ts';

/** The rows of an answer that a page asks for. */
export interface RowsQuery {
  /** JSON Pointer to the list; empty where the answer itself is the list. */
  readonly pointer: string;
  /** The index of the first row, from 0. */
  readonly start: number;
  readonly count: number;
  /** Keeps the rows for which it returns a true value; missing for all rows. */
  readonly filter?: FunctionCall | undefined;
  /** Compares two rows; missing for the order of the list. */
  readonly sorter?: FunctionCall | undefined;
}

/** A function of the worker that is called for rows. */
export interface FunctionCall {
  readonly name: string;
  /** Its further arguments, after the rows: a JSON list. */
  readonly given: string;
}

/** The worker's answer to a rows query. */
export type RowsAnswer =
  | {
      readonly kind: 'rows';
      /** The revision of the newest stored answer, from which the rows are. */
      readonly revision: Revision;
      /** The number of rows in the whole list. */
      readonly total: number;
      /** The rows as a JSON list. */
      readonly text: string;
    }
  /** The answer is not stored, for instance because its server forbids it. */
  | { readonly kind: 'not-stored' }
  /** The pointer does not lead to a list. */
  | { readonly kind: 'no-list' }
  /** The rows cannot be filtered or sorted in this way. */
  | { readonly kind: 'failed'; readonly failure: Failure };

/** JSON Pointer, RFC 6901. */

/** True for a well-formed pointer: empty for the whole, or a path of names (section 3). */
export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** The names of a pointer's path (section 4); none where it names the whole. */
export function namesIn(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(unescaped);
}

/** The value that a pointer leads to; undefined where it leads nowhere. Finds only own members, of any name. */
export function pointed(value: unknown, pointer: string): unknown {
  return namesIn(pointer).reduce(member, value);
}

/** The index that a name means in a list; null where it is not an index: `-`, `01`, `length`. */
export function rowOf(name: string): number | null {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) ? Number(name) : null;
}

/** In this order, so that `~01` becomes `~1`. */
function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && rowOf(name) === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
