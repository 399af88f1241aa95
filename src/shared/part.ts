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
