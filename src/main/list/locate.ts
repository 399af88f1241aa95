import { identityOf } from './identity.ts';
import { rowAt } from './rows.ts';
import type { Rows } from './rows.ts';

/** Where rows stand: their identities, each with its index, or -1 where that is not known. */
export type Places = ReadonlyMap<unknown, number>;

/**
 * Where rows stand now, in the order asked for, without those that are not there. Rows that are still where they were
 * cost nothing; the others one pass over what is there, which ends where the last of them is found.
 */
export function locate(rows: Rows, before: Places): Places {
  const moved = new Map<unknown, number>();
  for (const [identity, index] of before) {
    if (identityOf(rowAt(rows, index)) !== identity) moved.set(identity, -1);
  }
  if (moved.size === 0) return before;
  const missing = search(rows, moved);
  const now = new Map<unknown, number>();
  for (const [identity, index] of before) now.set(identity, moved.get(identity) ?? index);
  if (missing > 0) for (const [identity, index] of now) if (index < 0) now.delete(identity);
  return now;
}

/** Fills in where they stand; returns how many are nowhere. */
function search({ there, start }: Rows, wanted: Map<unknown, number>): number {
  let missing = wanted.size;
  for (let at = 0; at < there.length && missing > 0; at += 1) {
    const identity = identityOf(there[at]);
    if (wanted.get(identity) !== -1) continue;
    wanted.set(identity, start + at);
    missing -= 1;
  }
  return missing;
}
