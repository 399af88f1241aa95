import { nameOf } from '../patch/node.ts';
import { share } from '../patch/share.ts';

/** Rows of a list, and where in it they begin. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly start: number;
}

/**
 * The rows `next`, of which each that is equal to one of before is that very object: the one in its place in the list,
 * or of its name. The very list of before where all are, one by one. No old row is in two places.
 */
export function keptRows<Row>(before: Rows<Row> | null, next: Rows<Row>): readonly Row[] {
  if (!before) return next.rows;
  const named = new Map(before.rows.map((row) => [nameOf(row), row]));
  const olds = new Set(before.rows);
  // Those that are old rows already stay themselves.
  const taken = new Set(next.rows.filter((row) => olds.has(row)));
  const kept = next.rows.map((row, index) => {
    if (taken.has(row)) return row;
    const name = nameOf(row);
    const inPlace = before.rows[next.start + index - before.start];
    const candidates = [inPlace, name === undefined ? undefined : named.get(name)];
    const old = candidates.find(
      (each) => each !== undefined && !taken.has(each) && share(each, row) === each,
    );
    if (old !== undefined) taken.add(old);
    return old ?? row;
  });
  const isAll = kept.length === before.rows.length && kept.every((row, index) => row === before.rows[index]);
  return isAll ? before.rows : kept;
}
