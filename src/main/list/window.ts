import { identityOf, isThere, rowAt } from './rows.ts';
import { locate } from './choices.ts';
import type { Rows } from './rows.ts';

/** The visible part of the rows, in pixels. */
export interface Frame {
  readonly scrollTop: number;
  readonly viewHeight: number;
  /** The height of every row; 0 before the first is measured. */
  readonly rowHeight: number;
  readonly count: number;
}

/** The rows from `from` up to, but not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rows rendered above and below those in sight, so that a quick scroll shows no gap. */
const OVERSCAN = 8;

/** The rows in sight, at least in part. */
export function visibleRows({ scrollTop, viewHeight, rowHeight, count }: Frame): Span {
  if (rowHeight <= 0) return { from: 0, to: Math.min(1, count) };
  const from = clamp(Math.floor(scrollTop / rowHeight), 0, count);
  const to = clamp(Math.ceil((scrollTop + viewHeight) / rowHeight), from, count);
  return { from, to };
}

/** The rows to render: a single one before any is measured. */
export function windowOf(frame: Frame): Span {
  const { from, to } = visibleRows(frame);
  if (frame.rowHeight <= 0) return { from, to };
  return { from: clamp(from - OVERSCAN, 0, frame.count), to: clamp(to + OVERSCAN, 0, frame.count) };
}

/** Where to scroll, by the shortest way, so that a row is wholly in sight. */
export function scrollTo(index: number, { scrollTop, viewHeight, rowHeight }: Frame): number {
  const top = index * rowHeight;
  return Math.min(top, Math.max(scrollTop, top + rowHeight - viewHeight));
}

/** The rows of a page: those wholly in sight, minus one that stays in sight. */
export function pageOf({ viewHeight, rowHeight }: Frame): number {
  return rowHeight > 0 ? Math.max(1, Math.floor(viewHeight / rowHeight) - 1) : 1;
}

/**
 * Where to scroll so that the rows in sight stay in place when rows above them come or go: the first row in sight that
 * still exists keeps its place. At the very top nothing is kept, so that new rows show.
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
