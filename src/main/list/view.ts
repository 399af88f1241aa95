import type { Look } from './item.ts';

/** How a controller deals with a list, of whichever kind. */
export interface View {
  /** The selected rows as they are shown now. */
  selection: readonly unknown[];
  /** Shows what the delegate lets be seen of a model; the selection is kept by identity. */
  show(model: readonly unknown[] | null, look: Look): void;
  /** Takes its rows and listeners out of the list. */
  dispose(): void;
}
