import { html, nothing } from 'lit-html';
import { areSameRows, Choices } from './choices.ts';
import { item, labelOf } from './item.ts';
import type { Look } from './item.ts';
import { isForTypeAhead, moveOfClick, moveOfKey, moveOfText } from './moves.ts';
import type { Move, SelectionMode, Stand } from './moves.ts';
import { Screen } from './screen.ts';
import { NOT_THERE, allOf, isThere, rowAt } from './rows.ts';
import type { Rows } from './rows.ts';
import { pageOf, visibleRows } from './window.ts';
import type { Span } from './window.ts';

/** Milliseconds after which a typed character begins a new text. */
const PAUSE = 500;

interface Owner {
  readonly selected: (value: readonly unknown[], old: readonly unknown[]) => void;
  readonly drawn: (span: Span) => void;
}

/** The inside of a list: its rows on the screen, and the effects of keys and pointers on them. */
export class Listbox {
  readonly screen: Screen = new Screen(
    (row, index, count) => this.#paint(row, index, count),
    (drawn) => this.#point(drawn),
  );
  readonly #choices = new Choices();
  readonly #typeAhead = new TypeAhead();
  readonly #owner: Owner;
  #rows: Rows = NO_ROWS;
  #look: Look = { labelPath: '', iconPath: '', delegate: {} };
  #selection: readonly unknown[] = [];

  constructor(owner: Owner) {
    this.#owner = owner;
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

  /** The next rows are those of another list. */
  turnTo(): void {
    this.#choices.turnTo();
  }

  /** Shows other rows, null before there are any. Selection, active row and scroll position stay. */
  show(rows: Rows | null): void {
    this.#rows = rows ?? NO_ROWS;
    this.#choices.follow(rows);
    this.screen.show(this.#rows);
    this.#settle();
  }

  #onKey(event: KeyboardEvent): void {
    // The delegate may put a field into a row: its keys are not for the list.
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
    const labelAt = (index: number): string =>
      isThere(this.#rows, index) ? labelOf(rowAt(this.#rows, index), this.#look.labelPath) : '';
    return matchFor(typed, this.#choices.active, this.#rows.length, labelAt);
  }

  #settle(): void {
    this.screen.draw();
    const old = this.#selection;
    this.#selection = this.#choices.selected;
    if (!areSameRows(this.#selection, old)) this.#owner.selected(this.#selection, old);
  }

  /** Marks the active row for assistive technology while it is an element, and says which rows are elements. */
  #point({ from, to }: Span): void {
    const { viewport } = this.screen;
    const { active } = this.#choices;
    if (active >= from && active < to) viewport.setAttribute('aria-activedescendant', idOf(active));
    else viewport.removeAttribute('aria-activedescendant');
    this.#owner.drawn({ from, to });
  }

  /** Without selection there are no options, and keys scroll. */
  #takeRole(): void {
    const { viewport } = this.screen;
    viewport.role = this.mode === 'none' ? 'list' : 'listbox';
    viewport.ariaMultiSelectable = this.mode === 'multiple' ? 'true' : null;
  }

  #paint(row: unknown, index: number, count: number): unknown {
    const isOption = this.mode !== 'none';
    const isSelected = this.#choices.isSelected(row);
    const isActive = isOption && index === this.#choices.active;
    const isPending = row === NOT_THERE;
    return html`<div
      id=${idOf(index)}
      role=${isOption ? 'option' : 'listitem'}
      part=${`row${isSelected ? ' selected' : ''}${isActive ? ' active' : ''}${isPending ? ' pending' : ''}`}
      aria-selected=${isOption ? String(isSelected) : nothing}
      aria-posinset=${index + 1}
      aria-setsize=${count}
      aria-busy=${isPending ? 'true' : nothing}
      ${isPending ? nothing : item(row, index, this.#look)}
    ></div>`;
  }
}

const NO_ROWS = allOf([]);

function idOf(index: number): string {
  return `row-${index}`;
}

/** Collects the characters that the user types to find a row. */
export class TypeAhead {
  #typed = '';
  #at = -Infinity;

  /** The text typed so far, with this key at this time in milliseconds; empty where the key does not belong to it. */
  add(key: string, at: number): string {
    const before = at - this.#at < PAUSE ? this.#typed : '';
    // A space alone is a command; between characters it belongs to the text.
    if (Array.from(key).length !== 1 || (key === ' ' && before === '')) return '';
    this.#typed = before + key;
    this.#at = at;
    return this.#typed;
  }
}

/**
 * The index of the next row, cyclically, whose label begins with the typed text; -1 where there is none. A single
 * character, also when repeated, moves on from row to row; a longer text stays at a row that fits.
 */
export function matchFor(
  typed: string,
  active: number,
  count: number,
  labelAt: (index: number) => string,
): number {
  const characters = Array.from(typed.toLowerCase());
  const isCycling = characters.every((each) => each === characters[0]);
  const text = (isCycling ? characters[0] : characters.join('')) ?? '';
  const start = isCycling ? active + 1 : Math.max(active, 0);
  for (let step = 0; step < count; step += 1) {
    const index = (start + step) % count;
    if (labelAt(index).slice(0, text.length).toLowerCase() === text) return index;
  }
  return -1;
}
