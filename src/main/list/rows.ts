/** The rows of a list: all of them, or the present part of a longer list. */
export interface Rows {
  /** The length of the whole list. */
  readonly length: number;
  readonly there: readonly unknown[];
  /** The index of the first present row, from 0. */
  readonly start: number;
}

/** Stands for a row that is not present. */
export const NOT_THERE: unique symbol = Symbol('not there');

export function allOf(rows: readonly unknown[]): Rows {
  return { length: rows.length, there: rows, start: 0 };
}

export function areAll({ length, there }: Rows): boolean {
  return there.length === length;
}

export function isThere({ there, start }: Rows, index: number): boolean {
  return index >= start && index - start < there.length;
}

export function rowAt(rows: Rows, index: number): unknown {
  return isThere(rows, index) ? rows.there[index - rows.start] : NOT_THERE;
}

/** The properties that identify a row, in this order, even if everything else in it changes. */
interface Identified {
  readonly id?: unknown;
  readonly _id?: unknown;
  readonly key?: unknown;
}

/** Tells a row from all others, in this model and the next: its first identity property, else the row itself. */
export function identityOf(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { id, _id, key }: Identified = row;
  return id ?? _id ?? key ?? row;
}

/** Distinct keys for rows that are rendered together: a repeated identity gets a number. */
export function distinctIdentities(rows: readonly unknown[]): unknown[] {
  const identities = rows.map(identityOf);
  // Another row may already have the name that a repeated one would get.
  const taken = new Set(identities);
  const seen = new Map<unknown, number>();
  return identities.map((identity) => {
    let times = seen.get(identity) ?? 0;
    let key = identity;
    for (; times > 0 && taken.has(key); times += 1) key = `${String(identity)} (${times})`;
    taken.add(key);
    seen.set(identity, Math.max(times, 1));
    return key;
  });
}
