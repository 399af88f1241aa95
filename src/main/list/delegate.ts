/** What a list lets others do: every method is optional and called on the delegate itself. */
export interface ListDelegate {
  /** Sees each item, the element of a row, once, before it has a row. Items of a window are made anew as it scrolls. */
  configureItem?(item: HTMLElement): void;
  /** Called when an item gets its row, another one or another place; its label and icon are there already. */
  bindItem?(item: HTMLElement, row: unknown, index: number): void;
  /** Says which rows are shown. */
  filter?(row: unknown): boolean;
  /** Orders the rows that are shown: below 0 where `a` comes first. */
  sorter?(a: unknown, b: unknown): number;
}

/** The rows as they are shown: the model itself, not a copy, where nothing filters or sorts. */
export function present(model: readonly unknown[], delegate: ListDelegate): readonly unknown[] {
  const filtered = delegate.filter ? model.filter((row) => delegate.filter?.(row)) : model;
  return delegate.sorter ? filtered.toSorted((a, b) => delegate.sorter?.(a, b) ?? 0) : filtered;
}

/** @throws TypeError where it is neither rows nor, as before the first answer, nothing. */
export function assertModel(model: unknown): asserts model is readonly unknown[] | null {
  if (model === null || Array.isArray(model)) return;
  throw new TypeError(
    `The model of a list is an array of rows or null, not ${typeof model}: lead to the rows with a store's manipulateData`,
  );
}
