import { nameOf } from '../patch/node.ts';
import { share } from '../patch/share.ts';

/** Rows of a list, and where in it they begin. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly start: number;
}

/**
 * The rows `next`, of which each that is equal to one of before is that very object: the one in its place in the list,
 * or of its name. The very list of before where all are, one by one.
 */
export function keptRows<Row>(before: Rows<Row> | null, next: Rows<Row>): readonly Row[] {
  if (!before) return next.rows;
  const named = new Map(before.rows.map((row) => [nameOf(row), row]));
  const kept = next.rows.map((row, index) => {
    const name = nameOf(row);
    const inPlace = before.rows[next.start + index - before.start];
    const olds = [inPlace, name === undefined ? undefined : named.get(name)];
    return olds.find((old) => old !== undefined && share(old, row) === old) ?? row;
  });
  const isAll = kept.length === before.rows.length && kept.every((row, index) => row === before.rows[index]);
  return isAll ? before.rows : kept;
}
