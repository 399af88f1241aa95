import type { Document } from './document.ts';
import { textOf } from './grammar.ts';

/** Rows of a list as JSON, cut from its bytes. */
export function rowsText({ bytes, table }: Document, start: number, count: number): string {
  const from = Math.min(start, table.count);
  const to = Math.min(from + count, table.count);
  if (from === to) return '[]';
  return `[${textOf(bytes, table.starts[from] ?? 0, table.ends[to - 1] ?? 0)}]`;
}
