/** The rows of a list: all of them, or those that are there of a list that is longer. */
export interface Rows {
  /** Of the whole list. */
  readonly length: number;
  readonly there: readonly unknown[];
  /** The number of the first that is there, from 0. */
  readonly start: number;
}

/** Stands for a row that is not there. */
export const NOT_THERE: unique symbol = Symbol('not there');

/** Rows of which none is missing. */
export function allOf(rows: readonly unknown[]): Rows {
  return { length: rows.length, there: rows, start: 0 };
}

export function areAll({ length, there }: Rows): boolean {
  return there.length === length;
}

export function isThere({ there, start }: Rows, index: number): boolean {
  return index >= start && index - start < there.length;
}

/** The row of a number, or what stands for it. */
export function rowAt(rows: Rows, index: number): unknown {
  return isThere(rows, index) ? rows.there[index - rows.start] : NOT_THERE;
}
