import type { Document } from './document.ts';
import { textOf } from './grammar.ts';

/** Rows of a list as JSON, cut from its bytes. */
export function rowsText({ bytes, table }: Document, start: number, count: number): string {
  const from = Math.min(start, table.count);
  const to = Math.min(from + count, table.count);
  if (from === to) return '[]';
  return `[${textOf(bytes, table.starts[from] ?? 0, table.ends[to - 1] ?? 0)}]`;
}

/** The same of rows in an order of their own. */
export function arrangedText(
  { bytes, table }: Document,
  order: Uint32Array,
  start: number,
  count: number,
): string {
  const numbers = Array.from(order.subarray(start, start + count));
  const texts = numbers.map((row) => textOf(bytes, table.starts[row] ?? 0, table.ends[row] ?? 0));
  return `[${texts.join(',')}]`;
}
