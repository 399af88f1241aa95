import { html, nothing } from 'lit-html';
import { areSameRows } from './change-selection-event.ts';
import { Choices } from './choices.ts';
import { present } from './delegate.ts';
import { item } from './item.ts';
import type { Look } from './item.ts';
import { labelOf } from './label.ts';
import { isForTypeAhead, moveOfClick, moveOfKey, moveOfText } from './moves.ts';
import type { Move, SelectionMode, Stand } from './moves.ts';
import { Screen } from './screen.ts';
import { TypeAhead, matchFor } from './type-ahead.ts';
import { pageOf, visibleRows } from './window.ts';
import type { Span } from './window.ts';

/** Hears that other rows are selected. */
type Tell = (value: readonly unknown[], old: readonly unknown[]) => void;

/** What is within a list: its rows on the screen, and what keys and pointers do to them. */
export class Listbox {
  readonly screen: Screen = new Screen(
    (row, index, count) => this.#paint(row, index, count),
    (drawn) => this.#point(drawn),
  );
  readonly #choices = new Choices();
  readonly #typeAhead = new TypeAhead();
  readonly #tell: Tell;
  #rows: readonly unknown[] = [];
  #look: Look = { labelPath: '', iconPath: '', delegate: {} };
  #selection: readonly unknown[] = [];

  constructor(tell: Tell) {
    this.#tell = tell;
    const { viewport } = this.screen;
    viewport.tabIndex = 0;
    viewport.addEventListener('keydown', (event) => this.#onKey(event));
    viewport.addEventListener('click', (event) => this.#onClick(event));
    viewport.addEventListener('focus', () => this.#onFocus());
    this.#takeRole();
  }

  get look(): Look {
    return this.#look;
  }

  /** Fills every item anew. */
  set look(look: Look) {
    this.#look = look;
    this.screen.draw();
  }

  get selection(): readonly unknown[] {
    return this.#selection;
  }

  set selection(rows: readonly unknown[]) {
    this.#choices.select(rows);
    this.#settle();
  }

  get mode(): SelectionMode {
    return this.#choices.mode;
  }

  set mode(mode: SelectionMode) {
    this.#choices.mode = mode;
    this.#takeRole();
    this.#settle();
  }

  /** Shows what the delegate lets be seen of a model; selection, active row and what is in sight are kept. */
  show(model: readonly unknown[] | null): void {
    this.#rows = present(model ?? [], this.#look.delegate);
    this.#choices.follow(model && this.#rows);
    this.screen.show(this.#rows);
    this.#settle();
  }

  #onKey(event: KeyboardEvent): void {
    // What is typed into a row, where the delegate put a field, is for that.
    if (event.target !== this.screen.viewport) return;
    const stand = this.#stand();
    const typed = isForTypeAhead(event, stand) ? this.#typeAhead.add(event.key, event.timeStamp) : '';
    const move = typed === '' ? moveOfKey(event, stand) : moveOfText(this.#find(typed), stand);
    if (typed !== '' || move) event.preventDefault();
    if (move) this.#take(move);
  }

  #onClick(event: MouseEvent): void {
    const row = event.composedPath().find((each) => each instanceof HTMLElement && each.role === 'option');
    if (!(row instanceof HTMLElement)) return;
    const isMouse = !(event instanceof PointerEvent) || event.pointerType === 'mouse';
    const move = moveOfClick(Number(row.ariaPosInSet) - 1, this.mode, event, isMouse);
    if (move) this.#take(move);
  }

  /** Keys begin at a row in sight. */
  #onFocus(): void {
    this.#choices.enter(visibleRows(this.screen.frame).from);
    this.screen.draw();
  }

  #take(move: Move): void {
    this.#choices.take(move);
    this.screen.reveal(this.#choices.active);
    this.#settle();
  }

  #stand(): Stand {
    const { mode, active } = this.#choices;
    return { mode, active, count: this.#rows.length, page: pageOf(this.screen.frame) };
  }

  #find(typed: string): number {
    const labelAt = (index: number): string => labelOf(this.#rows[index], this.#look.labelPath);
    return matchFor(typed, this.#choices.active, this.#rows.length, labelAt);
  }

  #settle(): void {
    this.screen.draw();
    const old = this.#selection;
    this.#selection = this.#choices.selected;
    if (!areSameRows(this.#selection, old)) this.#tell(this.#selection, old);
  }

  /** Says which row keys are about, as long as that is an element. */
  #point({ from, to }: Span): void {
    const { viewport } = this.screen;
    const { active } = this.#choices;
    if (active >= from && active < to) viewport.setAttribute('aria-activedescendant', idOf(active));
    else viewport.removeAttribute('aria-activedescendant');
  }

  /** Where nothing can be selected there are no options, and keys scroll. */
  #takeRole(): void {
    const { viewport } = this.screen;
    viewport.role = this.mode === 'none' ? 'list' : 'listbox';
    viewport.ariaMultiSelectable = this.mode === 'multiple' ? 'true' : null;
  }

  #paint(row: unknown, index: number, count: number): unknown {
    const isOption = this.mode !== 'none';
    const isSelected = this.#choices.isSelected(row);
    const isActive = isOption && index === this.#choices.active;
    return html`<div
      id=${idOf(index)}
      role=${isOption ? 'option' : 'listitem'}
      part=${`row${isSelected ? ' selected' : ''}${isActive ? ' active' : ''}`}
      aria-selected=${isOption ? String(isSelected) : nothing}
      aria-posinset=${index + 1}
      aria-setsize=${count}
      ${item(row, index, this.#look)}
    ></div>`;
  }
}

function idOf(index: number): string {
  return `row-${index}`;
}
