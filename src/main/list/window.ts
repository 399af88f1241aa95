import { identityOf, isThere, rowAt } from './rows.ts';
import { locate } from './choices.ts';
import type { Rows } from './rows.ts';

/** What is seen of the rows, in pixels. */
export interface Frame {
  readonly scrollTop: number;
  readonly viewHeight: number;
  /** The height of every row; 0 before the first was measured. */
  readonly rowHeight: number;
  readonly count: number;
}

/** The rows from `from` up to, but without, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rows rendered above and below what is seen, so that a quick scroll shows no gap. */
const OVERSCAN = 8;

/** The rows that are seen, if only in part. */
export function visibleRows({ scrollTop, viewHeight, rowHeight, count }: Frame): Span {
  if (rowHeight <= 0) return { from: 0, to: Math.min(1, count) };
  const from = clamp(Math.floor(scrollTop / rowHeight), 0, count);
  const to = clamp(Math.ceil((scrollTop + viewHeight) / rowHeight), from, count);
  return { from, to };
}

/** The rows to render: a single one before any was measured. */
export function windowOf(frame: Frame): Span {
  const { from, to } = visibleRows(frame);
  if (frame.rowHeight <= 0) return { from, to };
  return { from: clamp(from - OVERSCAN, 0, frame.count), to: clamp(to + OVERSCAN, 0, frame.count) };
}

/** Where to scroll so that a row is seen whole, by the shortest way. */
export function scrollTo(index: number, { scrollTop, viewHeight, rowHeight }: Frame): number {
  const top = index * rowHeight;
  return Math.min(top, Math.max(scrollTop, top + rowHeight - viewHeight));
}

/** How many rows a page is: what is seen whole, less one that stays in sight. */
export function pageOf({ viewHeight, rowHeight }: Frame): number {
  return rowHeight > 0 ? Math.max(1, Math.floor(viewHeight / rowHeight) - 1) : 1;
}

/**
 * Where to scroll so that what is seen stays where it is, though rows came or went above it: the first row in sight that
 * is still there keeps its place. At the very top nothing does, so that news is seen.
 */
export function anchoredScroll(frame: Frame, before: Rows, rows: Rows): number {
  const { scrollTop, rowHeight } = frame;
  if (scrollTop <= 0 || rowHeight <= 0) return scrollTop;
  const { from, to } = visibleRows(frame);
  const seen = new Map<unknown, number>();
  for (let index = from; index < to; index += 1) {
    if (isThere(before, index)) seen.set(identityOf(rowAt(before, index)), index);
  }
  const [first] = locate(rows, seen);
  if (first === undefined) return scrollTop;
  const [identity, index] = first;
  return scrollTop + (index - (seen.get(identity) ?? index)) * rowHeight;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
