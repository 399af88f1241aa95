import type { Failure } from './failure.ts';
import type { Revision } from './outcome.ts';

/** Which rows of an answer are asked for. */
export interface RowsQuery {
  /** JSON Pointer to the list; empty where the answer is the list. */
  readonly pointer: string;
  /** The first row, from 0. */
  readonly start: number;
  readonly count: number;
  /** Keeps a row where it returns what is true; missing for all rows. */
  readonly filter?: FunctionCall | undefined;
  /** Says which of two rows comes first; missing for the order in which they are. */
  readonly sorter?: FunctionCall | undefined;
}

/** A function of the worker that is called for rows. */
export interface FunctionCall {
  readonly name: string;
  /** What it is given after the rows: a list in JSON. */
  readonly given: string;
}

/** What the worker has of them. */
export type RowsAnswer =
  | {
      readonly kind: 'rows';
      /** The newest answer that is stored: that is what they are of. */
      readonly revision: Revision;
      /** Rows of the whole list. */
      readonly total: number;
      /** The rows as JSON: a list. */
      readonly text: string;
    }
  /** Nothing is stored of that answer, as where its server forbids it. */
  | { readonly kind: 'not-stored' }
  /** The pointer leads to no list. */
  | { readonly kind: 'no-list' }
  /** The rows cannot be filtered or sorted so. */
  | { readonly kind: 'failed'; readonly failure: Failure };
