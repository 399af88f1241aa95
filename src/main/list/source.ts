import { LIMITS } from '../../shared/limits.ts';
import type { ListDelegate } from './delegate.ts';
import type { Rows } from './rows.ts';
import type { Span } from './window.ts';

/** Some rows of a long list, which move to where it is looked at: what `store.window()` returns. */
export interface ListSource extends EventTarget {
  /** The rows that are there; null before the first. */
  readonly model: readonly unknown[] | null;
  /** The length of the whole list; null before the first rows. */
  readonly total: number | null;
  /** The number of the first row that is there, from 0. */
  readonly start: number;
  readonly count: number;
  /** Whether rows could not be had. */
  readonly status?: { readonly error: unknown };
  move(start: number, count: number): void;
}

/** @throws TypeError where it is no source. */
export function assertSource(source: ListSource | null): void {
  if (source === null) return;
  if (source instanceof EventTarget && typeof source.move === 'function') return;
  throw new TypeError(
    `The source of a list is what a store's window() returns, or null, not ${typeof source}`,
  );
}

/** @throws TypeError where rows would be filtered or sorted of which most are not there. */
export function assertUnsorted(delegate: ListDelegate): void {
  if (delegate.filter === undefined && delegate.sorter === undefined) return;
  throw new TypeError(
    'The delegate of a list with a source has neither filter nor sorter: not all rows are in the page',
  );
}

/** Hears that a source has other rows; `isElsewhere` where somebody else has moved it. */
type Changed = (isElsewhere: boolean) => void;

/** Follows a source, and moves it along with what is in sight. */
export class Scrolling {
  readonly #source: ListSource;
  readonly #end = new AbortController();
  /** What was asked for last: while that is on its way the source says where it still is. */
  #asked: Range;
  #isAsking = false;

  constructor(source: ListSource, changed: Changed) {
    this.#source = source;
    this.#asked = rangeOf(source);
    const { signal } = this.#end;
    source.addEventListener('changeModel', () => this.#follow(changed), { signal });
    source.addEventListener('changeStatus', () => this.#retry(changed), { signal });
  }

  /** Has rows come that are in sight. */
  reach(seen: Span): void {
    const { total } = this.#source;
    const range = total === null ? null : rangeFor(seen, this.#asked, total);
    if (range === null) return;
    this.#asked = range;
    if (this.#isAsking) return;
    this.#isAsking = true;
    // Not within the source's own events, which others hear as well.
    queueMicrotask(() => this.#ask());
  }

  end(): void {
    this.#end.abort();
  }

  #ask(): void {
    this.#isAsking = false;
    if (!this.#end.signal.aborted) this.#source.move(this.#asked.start, this.#asked.count);
  }

  #follow(changed: Changed): void {
    const range = rangeOf(this.#source);
    const isElsewhere = range.start !== this.#asked.start || range.count !== this.#asked.count;
    this.#asked = range;
    changed(isElsewhere);
  }

  /** What could not be had is asked for again when it is next looked at. */
  #retry(changed: Changed): void {
    if (this.#source.status?.error) this.#asked = rangeOf(this.#source);
    changed(false);
  }
}

/** What a source has; null before the first rows. */
export function rowsOf({ model, total, start }: ListSource): Rows | null {
  return model && { length: total ?? model.length, there: model, start };
}

interface Range {
  readonly start: number;
  readonly count: number;
}

function rangeOf({ start, count }: Range): Range {
  return { start, count };
}

/**
 * Where a source is to be so that what is seen has as much again above and below; null where it has half of that, and may
 * stay.
 */
export function rangeFor({ from, to }: Span, { start, count }: Range, total: number): Range | null {
  const seen = to - from;
  const end = start + count;
  const isNear = (rows: number): boolean => rows < seen / 2;
  const isShort = (isNear(from - start) && start > 0) || (isNear(end - to) && end < total);
  if (seen === 0 || !isShort) return null;
  const wanted = Math.min(Math.max(count, 3 * seen), LIMITS.windowRows);
  const first = Math.min(from - Math.floor((wanted - seen) / 2), total - wanted);
  return { start: Math.max(0, first), count: wanted };
}
