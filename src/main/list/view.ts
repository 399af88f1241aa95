import type { Look } from './item.ts';
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { Choices } from './choices.ts';
import { present } from './source.ts';
import { distinctIdentities, identityOf, allOf } from './rows.ts';
import { item } from './item.ts';
import type { List } from './list.ts';

export interface View {
  /** The selected rows as they are shown now. */
  selection: readonly unknown[];
  /** Shows a model as the delegate filters and sorts it; the selection stays by identity. */
  show(model: readonly unknown[] | null, look: Look): void;
  dispose(): void;
}

/** A `<ul>` or `<ol>`: every row is an `<li>`, and selected ones have `data-selected`. */
export class PlainView implements View {
  readonly #list: HTMLElement;
  readonly #choices = new Choices();
  #rows: readonly unknown[] = [];
  #look: Look = { labelPath: '', iconPath: '', delegate: {} };

  constructor(list: HTMLElement) {
    this.#list = list;
    this.#choices.mode = 'multiple';
  }

  get selection(): readonly unknown[] {
    return this.#choices.selected;
  }

  set selection(rows: readonly unknown[]) {
    this.#choices.select(rows);
    this.#render();
  }

  show(model: readonly unknown[] | null, look: Look): void {
    this.#look = look;
    this.#rows = present(model ?? [], look.delegate);
    this.#choices.follow(model && allOf(this.#rows));
    this.#render();
  }

  dispose(): void {
    render(nothing, this.#list);
  }

  #render(): void {
    const identities = distinctIdentities(this.#rows);
    const paint = (row: unknown, index: number): unknown =>
      html`<li ?data-selected=${this.#choices.isSelected(row)} ${item(row, index, this.#look)}></li>`;
    render(
      repeat(this.#rows, (_row, at) => identities[at], paint),
      this.#list,
    );
  }
}

/**
 * A `<select>`: every row is an `<option>`, after the page's own options; the selection is the element's own. An
 * option's value is the row's identity where that is not an object, else its label.
 */
export class SelectView implements View {
  readonly #select: HTMLSelectElement;
  readonly #end: () => void;
  #rows: readonly unknown[] = [];
  /** The selected identities; without a model, those that are waited for. */
  #wanted: ReadonlySet<unknown> = new Set();

  constructor(select: HTMLSelectElement, changed: () => void) {
    this.#select = select;
    const listener = (): void => {
      this.#read();
      changed();
    };
    select.addEventListener('change', listener);
    this.#end = () => select.removeEventListener('change', listener);
  }

  get selection(): readonly unknown[] {
    return this.#options().flatMap(({ selected }, index) => (selected ? [this.#rows[index]] : []));
  }

  set selection(rows: readonly unknown[]) {
    this.#wanted = new Set(rows.map(identityOf));
    if (this.#rows.length === 0) return;
    if (!this.#mark()) this.#selectNone();
    this.#read();
  }

  show(model: readonly unknown[] | null, look: Look): void {
    const wasEmpty = this.#rows.length === 0;
    this.#rows = present(model ?? [], look.delegate);
    this.#render(look);
    if (model === null) return;
    // The browser selects the first option of a new menu. Later, a selected row that is gone has no successor.
    if (!this.#mark() && !wasEmpty) this.#selectNone();
    this.#read();
  }

  dispose(): void {
    this.#end();
    render(nothing, this.#select);
  }

  #render(look: Look): void {
    const identities = distinctIdentities(this.#rows);
    render(
      repeat(
        this.#rows,
        (_row, at) => identities[at],
        (row, index) => html`<option ${item(row, index, look)}></option>`,
      ),
      this.#select,
    );
  }

  /** The options of the rows, in order: they are the last ones. */
  #options(): HTMLOptionElement[] {
    return Array.from(this.#select.options).slice(this.#select.length - this.#rows.length);
  }

  /** Selects the wanted options; returns true where any is present. */
  #mark(): boolean {
    const wanted = this.#options().map((option, index) => {
      const isWanted = this.#wanted.has(identityOf(this.#rows[index]));
      if (option.selected !== isWanted) option.selected = isWanted;
      return isWanted;
    });
    return wanted.includes(true);
  }

  /** Selects no row, but an option of the page's own, such as a prompt, where there is one. */
  #selectNone(): void {
    const { options, multiple } = this.#select;
    const own = Array.from(options).slice(0, options.length - this.#rows.length);
    if (multiple || own.some(({ selected }) => selected)) return;
    this.#select.selectedIndex = own.length > 0 ? 0 : -1;
  }

  #read(): void {
    this.#wanted = new Set(this.selection.map(identityOf));
  }
}

/** The list widget, which needs a controller only to pass things on. */
export class WidgetView implements View {
  readonly #list: List;
  readonly #end: () => void;
  /** The look set by the controller. What the list's attributes say stays where the controller says nothing. */
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
