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
