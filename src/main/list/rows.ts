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

/** What a row may be known by, whatever else of it changes: `id`, `_id` or `key`, the first that it has. */
interface Identified {
  readonly id?: unknown;
  readonly _id?: unknown;
  readonly key?: unknown;
}

/** What tells a row from all others, in this model and the next: an identity key of it, else the row itself. */
export function identityOf(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { id, _id, key }: Identified = row;
  return id ?? _id ?? key ?? row;
}

/** The keys of rows that are rendered together, each another: a row that comes again gets one for its place. */
export function distinctIdentities(rows: readonly unknown[]): unknown[] {
  const identities = rows.map(identityOf);
  // Another row may be called what a repeated one would be.
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
