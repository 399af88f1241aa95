import type { Look } from './item.ts';
import type { List } from './list.ts';
import type { View } from './view.ts';

/** The list widget, which does by itself what a controller does. */
export class WidgetView implements View {
  readonly #list: List;
  readonly #end: () => void;
  /** What the list was told: what it knows by its attributes stays where the controller says nothing. */
  #look: Look = { labelPath: '', iconPath: '', delegate: {} };

  constructor(list: List, changed: () => void) {
    this.#list = list;
    list.addEventListener('changeSelection', changed);
    this.#end = () => list.removeEventListener('changeSelection', changed);
  }

  get selection(): readonly unknown[] {
    return this.#list.selection;
  }

  set selection(rows: readonly unknown[]) {
    this.#list.selection = rows;
  }

  show(model: readonly unknown[] | null, look: Look): void {
    const { labelPath, iconPath, delegate } = this.#look;
    this.#look = look;
    if (look.labelPath !== labelPath) this.#list.labelPath = look.labelPath;
    if (look.iconPath !== iconPath) this.#list.iconPath = look.iconPath;
    if (look.delegate !== delegate) this.#list.delegate = look.delegate;
    this.#list.model = model;
  }

  dispose(): void {
    this.#end();
    this.#list.delegate = {};
    this.#list.model = null;
  }
}
