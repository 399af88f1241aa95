import { ChangeSelectionEvent, areSameRows } from './choices.ts';
import { assertModel } from './source.ts';
import type { ListDelegate } from './source.ts';
import type { Look } from './item.ts';
import { List } from './list.ts';
import { PlainView, SelectView, WidgetView } from './view.ts';
import type { View } from './view.ts';

/**
 * Shows the rows of a model in a list, and keeps the same rows selected from one model to the next. The list is a
 * `<select>`, a `<ul>` or `<ol>`, or an `<offstage-list>`. Dispatches `changeSelection` (ChangeSelectionEvent) when the
 * selection has changed.
 *
 * ```ts
 * const controller = new ListController(null, select, 'author.name');
 * store.bind('model', controller, 'model');
 * ```
 */
export class ListController extends EventTarget {
  readonly #view: View;
  #model: readonly unknown[] | null;
  #look: Look;
  #selection: readonly unknown[] = [];
  #isDisposed = false;

  /** @throws TypeError where the model is not an array, or the list not one of those above. */
  constructor(
    model: readonly unknown[] | null,
    list: HTMLElement,
    labelPath = '',
    delegate: ListDelegate = {},
  ) {
    super();
    assertModel(model);
    this.#model = model;
    this.#look = { labelPath, iconPath: '', delegate };
    this.#view = viewOf(list, () => this.#settle());
    this.#show();
  }

  /** The rows; null before there are any. Do not change the array: set another one. */
  get model(): readonly unknown[] | null {
    return this.#model;
  }

  set model(model: readonly unknown[] | null) {
    assertModel(model);
    // The same array may have changed within, so every item is filled anew.
    if (model === this.#model) this.#look = { ...this.#look };
    this.#model = model;
    this.#show();
  }

  /**
   * The selected rows, as the model has them now. Set it to rows or objects of the same identity; with no model yet,
   * they are waited for.
   */
  get selection(): readonly unknown[] {
    return this.#selection;
  }

  set selection(rows: readonly unknown[]) {
    if (this.#isDisposed) return;
    this.#view.selection = rows;
    this.#settle();
  }

  /** The dotted path in a row to its label; empty for its title, name, label or id. */
  get labelPath(): string {
    return this.#look.labelPath;
  }

  set labelPath(labelPath: string) {
    this.#look = { ...this.#look, labelPath };
    this.#show();
  }

  /** The dotted path in a row to the address of its icon, which a `<select>` does not show; empty for none. */
  get iconPath(): string {
    return this.#look.iconPath;
  }

  set iconPath(iconPath: string) {
    this.#look = { ...this.#look, iconPath };
    this.#show();
  }

  /** The app's methods. Set it again, to the same object or another, when it filters or sorts differently. */
  get delegate(): ListDelegate {
    return this.#look.delegate;
  }

  set delegate(delegate: ListDelegate) {
    this.#look = { ...this.#look, delegate };
    this.#show();
  }

  /** Ends the controller and removes its rows from the list. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#view.dispose();
  }

  #show(): void {
    if (this.#isDisposed) return;
    this.#view.show(this.#model, this.#look);
    this.#settle();
  }

  #settle(): void {
    const old = this.#selection;
    this.#selection = this.#view.selection;
    if (!areSameRows(this.#selection, old)) {
      this.dispatchEvent(new ChangeSelectionEvent(this.#selection, old));
    }
  }
}

function viewOf(list: HTMLElement, changed: () => void): View {
  List.define();
  if (list instanceof List) return new WidgetView(list, changed);
  if (list instanceof HTMLSelectElement) return new SelectView(list, changed);
  if (list instanceof HTMLUListElement || list instanceof HTMLOListElement) return new PlainView(list);
  throw new TypeError(`A list is a <select>, <ul>, <ol> or <offstage-list>, not ${nameOf(list)}`);
}

function nameOf(list: unknown): string {
  return list instanceof HTMLElement ? `<${list.localName}>` : typeof list;
}
