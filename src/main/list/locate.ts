import { identityOf } from './identity.ts';

/** Where rows stand: their identities, each with its index, or -1 where that is not known. */
export type Places = ReadonlyMap<unknown, number>;

/**
 * Where rows stand now, in the order asked for, without those that are gone. Rows that are still where they were cost
 * nothing; the others one pass over the model, which ends where the last of them is found.
 */
export function locate(rows: readonly unknown[], before: Places): Places {
  const moved = new Map<unknown, number>();
  for (const [identity, index] of before) {
    const isThere = index >= 0 && index < rows.length && identityOf(rows[index]) === identity;
    if (!isThere) moved.set(identity, -1);
  }
  if (moved.size === 0) return before;
  const missing = search(rows, moved);
  const now = new Map<unknown, number>();
  for (const [identity, index] of before) now.set(identity, moved.get(identity) ?? index);
  if (missing > 0) for (const [identity, index] of now) if (index < 0) now.delete(identity);
  return now;
}

/** Fills in where they stand; returns how many are nowhere. */
function search(rows: readonly unknown[], wanted: Map<unknown, number>): number {
  let missing = wanted.size;
  for (let index = 0; index < rows.length && missing > 0; index += 1) {
    const identity = identityOf(rows[index]);
    if (wanted.get(identity) !== -1) continue;
    wanted.set(identity, index);
    missing -= 1;
  }
  return missing;
}
