import { LIMITS } from '../../shared/limits.ts';
import type { Rows } from './rows.ts';
import type { Span } from './window.ts';

/** Some rows of a long list, which can move to the rows in sight: `store.window()` returns one. */
export interface ListSource extends EventTarget {
  /** The present rows; null before the first. */
  readonly model: readonly unknown[] | null;
  /** The length of the whole list; null before the first rows. */
  readonly total: number | null;
  /** The index of the first present row, from 0. */
  readonly start: number;
  readonly count: number;
  /** `error` is set where rows are not available. */
  readonly status?: { readonly error: unknown };
  move(start: number, count: number): void;
}

/** @throws TypeError where it is not a source. */
export function assertSource(source: ListSource | null): void {
  if (source === null) return;
  if (source instanceof EventTarget && typeof source.move === 'function') return;
  throw new TypeError(
    `The source of a list is what a store's window() returns, or null, not ${typeof source}`,
  );
}

/** @throws TypeError where the delegate filters or sorts: most rows are not in the page. */
export function assertUnsorted(delegate: ListDelegate): void {
  if (delegate.filter === undefined && delegate.sorter === undefined) return;
  throw new TypeError(
    'The delegate of a list with a source has neither filter nor sorter: not all rows are in the page',
  );
}

/** The source has other rows. `isElsewhere` is true where something else has moved it. */
type Changed = (isElsewhere: boolean) => void;

/** Follows a source, and moves it along with the rows in sight. */
export class Scrolling {
  readonly #source: ListSource;
  readonly #end = new AbortController();
  /** The last range asked for. Until its rows arrive, the source still names its old range. */
  #asked: Range;
  #isAsking = false;

  constructor(source: ListSource, changed: Changed) {
    this.#source = source;
    this.#asked = rangeOf(source);
    const { signal } = this.#end;
    source.addEventListener('changeModel', () => this.#follow(changed), { signal });
    source.addEventListener('changeStatus', () => this.#retry(changed), { signal });
  }

  /** Asks for the rows in sight. */
  reach(seen: Span): void {
    const { total } = this.#source;
    const range = total === null ? null : rangeFor(seen, this.#asked, total);
    if (range === null) return;
    this.#asked = range;
    if (this.#isAsking) return;
    this.#isAsking = true;
    // Not during the source's own events, which others hear too.
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

  /** A failed range is asked for again when it is next in sight. */
  #retry(changed: Changed): void {
    if (this.#source.status?.error) this.#asked = rangeOf(this.#source);
    changed(false);
  }
}

/** The rows of a source; null before the first. */
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

/** The range with as many rows above and below as are in sight; null where half of that is there and it may stay. */
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

/** An app's own methods for a list. Each is optional and is called on the delegate itself. */
export interface ListDelegate {
  /**
   * Called once per item, the element of a row, before it gets its row. `<offstage-list>` makes items as it scrolls.
   */
  configureItem?(item: HTMLElement): void;
  /** Called when an item gets another row, or its row another index; label and icon are in the item already. */
  bindItem?(item: HTMLElement, row: unknown, index: number): void;
  /** Returns true for the rows to show. */
  filter?(row: unknown): boolean;
  /** Orders the shown rows: below 0 where `a` comes first. */
  sorter?(a: unknown, b: unknown): number;
}

/** The rows to show. Returns the model itself, not a copy, where the delegate neither filters nor sorts. */
export function present(model: readonly unknown[], delegate: ListDelegate): readonly unknown[] {
  const filtered = delegate.filter ? model.filter((row) => delegate.filter?.(row)) : model;
  return delegate.sorter ? filtered.toSorted((a, b) => delegate.sorter?.(a, b) ?? 0) : filtered;
}

/** @throws TypeError where it is neither an array nor null, which means that there is no answer yet. */
export function assertModel(model: unknown): asserts model is readonly unknown[] | null {
  if (model === null || Array.isArray(model)) return;
  throw new TypeError(
    `The model of a list is an array of rows or null, not ${typeof model}: lead to the rows with a store's manipulateData`,
  );
}
