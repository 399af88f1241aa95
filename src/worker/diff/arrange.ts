import type { Arrangement } from '../contracts/arrangement.ts';
import type { Document } from './document.ts';
import { textOf } from './grammar.ts';
import { PauseMeter } from '../platform/pause-meter.ts';
import { sort } from './sort.ts';

/** The numbers of the rows that an arrangement keeps, in its order. Throws what its functions throw. */
export function* arrange(
  { bytes, table }: Document,
  { keep, compare }: Arrangement,
): Generator<void, Uint32Array> {
  const numbers = new Uint32Array(table.count);
  const rows: unknown[] = [];
  const pace = new PauseMeter();
  let count = 0;
  for (let index = 0; index < table.count; index += 1) {
    const [start, end] = [table.starts[index] ?? 0, table.ends[index] ?? 0];
    if (pace.isDue(end - start)) yield;
    const row: unknown = JSON.parse(textOf(bytes, start, end));
    if (keep && !keep(row)) continue;
    numbers[count] = index;
    if (compare) rows.push(row);
    count += 1;
  }
  const kept = numbers.slice(0, count);
  if (!compare) return kept;
  const order = yield* sort(rows, compare);
  return order.map((at) => kept[at] ?? 0);
}
