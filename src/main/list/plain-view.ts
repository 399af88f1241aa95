import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { Choices } from './choices.ts';
import { present } from './delegate.ts';
import { distinctIdentities } from './identity.ts';
import { item } from './item.ts';
import type { Look } from './item.ts';
import { allOf } from './rows.ts';
import type { View } from './view.ts';

/** A `<ul>` or `<ol>`: every row is an `<li>`, and what is selected is said by `data-selected`. */
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
