import { ChangeSelectionEvent } from './choices.ts';
import { assertModel, present, Scrolling, assertSource, assertUnsorted, rowsOf } from './source.ts';
import type { ListDelegate, ListSource } from './source.ts';
import { Listbox } from './listbox.ts';
import { assertMode } from './moves.ts';
import type { SelectionMode } from './moves.ts';
import { allOf } from './rows.ts';
import type { Span } from './window.ts';

/** The list's styles. Colours follow the page's `color-scheme`; custom properties and parts change them. */
const LIST_STYLE = `
:host {
  display: flex;
  flex-direction: column;
  box-sizing: border-box;
  block-size: var(--offstage-list-height, 20rem);
  contain: content;
  overflow: hidden;
  color: var(--offstage-list-color, light-dark(#1b1b1f, #e4e2e6));
  background: var(--offstage-list-background, light-dark(#ffffff, #1b1b1f));
  border: 1px solid var(--offstage-list-border, light-dark(#767680, #90909a));
  border-radius: var(--offstage-list-radius, 0.375rem);
}
:host([hidden]) { display: none; }
[part='viewport'] {
  flex: 1 1 auto;
  min-block-size: 0;
  overflow: hidden auto;
  overflow-anchor: none;
  outline: none;
}
[part='space'] { position: relative; }
[part='window'] { position: absolute; inset-inline: 0; }
[part~='row'] {
  display: flex;
  align-items: center;
  gap: 0.5em;
  box-sizing: border-box;
  block-size: var(--row-height, var(--offstage-list-row-height, auto));
  padding: 0.375em 0.75em;
  overflow: hidden;
  white-space: nowrap;
}
[role='option'] { cursor: default; user-select: none; }
[role='option']:hover { background: var(--offstage-list-hover, light-dark(#f0f0f4, #2b2b30)); }
[part~='selected'], [part~='selected']:hover {
  color: var(--offstage-list-selected-color, light-dark(#ffffff, #12121a));
  background: var(--offstage-list-selected-background, light-dark(#2f4bb8, #b9c3ff));
}
[part='viewport']:focus-visible [part~='active'] {
  outline: 2px solid var(--offstage-list-focus, light-dark(#1b1b1f, #ffffff));
  outline-offset: -2px;
}
[part='viewport']:focus-visible [part~='selected'][part~='active'] { outline-color: currentColor; outline-offset: -4px; }
[part='icon'] { flex: none; block-size: 1.25em; inline-size: 1.25em; object-fit: contain; }
[part='label'] { overflow: hidden; text-overflow: ellipsis; }
@media (forced-colors: active) {
  [part~='selected'], [part~='selected']:hover { forced-color-adjust: none; color: HighlightText; background: Highlight; }
}
`;

declare global {
  interface HTMLElementTagNameMap {
    'offstage-list': List;
  }
}

const NAME = 'offstage-list';

/** Properties that may have been set on the element before it was defined. */
const EARLY = ['delegate', 'labelPath', 'iconPath', 'selectionMode', 'selection', 'model', 'source'];

/** Without a document there are no elements, but importing this module must not fail there. */
const Base: typeof HTMLElement = Reflect.get(globalThis, 'HTMLElement') ?? Object;

/**
 * A list of rows to select from, `<offstage-list>`: a listbox that renders only the rows in sight, however many there
 * are. All rows have the same height: that of the first, or `--offstage-list-row-height`. Dispatches `changeSelection`
 * (ChangeSelectionEvent) when the selection has changed. Parts: `viewport`, `row`, `selected`, `active`, `pending`,
 * `icon`, `label`.
 */
export class List extends Base {
  static readonly observedAttributes: readonly string[] = [
    'aria-label',
    'aria-labelledby',
    'icon-path',
    'label-path',
    'selection-mode',
  ];

  readonly #box: Listbox = new Listbox({
    selected: (value, old) => void this.dispatchEvent(new ChangeSelectionEvent(value, old)),
    drawn: (span) => this.#reach(span),
  });
  #model: readonly unknown[] | null = null;
  #source: ListSource | null = null;
  #scrolling: Scrolling | null = null;
  /** True while the source tells of other rows. */
  #isTold = false;

  /** Registers `<offstage-list>`. Importing `offstage/list` does this, and so do the first list and controller. */
  static define(): void {
    if (typeof customElements === 'undefined' || customElements.get(NAME)) return;
    customElements.define(NAME, List);
  }

  constructor() {
    List.define();
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LIST_STYLE);
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#box.screen.viewport);
  }

  /** The rows; null before there are any, or where a source has them. Do not change the array: set another one. */
  get model(): readonly unknown[] | null {
    return this.#model;
  }

  set model(model: readonly unknown[] | null) {
    assertModel(model);
    // The same array may have changed within, so every item is filled anew.
    if (model === this.#model) this.#box.look = { ...this.#box.look };
    this.#model = model;
    this.#scrollThrough(null);
  }

  /**
   * A source of rows instead of a model; null for none. The list moves this window of a store to the rows in sight, so
   * that no others are in the page.
   * @throws TypeError where it is not a source, or the delegate filters or sorts.
   */
  get source(): ListSource | null {
    return this.#source;
  }

  set source(source: ListSource | null) {
    assertSource(source);
    if (source) assertUnsorted(this.delegate);
    this.#model = null;
    this.#scrollThrough(source);
  }

  /**
   * The selected rows, as the model has them now. Set it to rows or objects of the same identity; with no model yet,
   * they are waited for.
   */
  get selection(): readonly unknown[] {
    return this.#box.selection;
  }

  set selection(rows: readonly unknown[]) {
    this.#box.selection = rows;
  }

  /** How many rows can be selected: one (`single`, default), any number (`multiple`) or `none`. */
  get selectionMode(): SelectionMode {
    return this.#box.mode;
  }

  /** @throws RangeError where it is not a mode. */
  set selectionMode(mode: SelectionMode) {
    assertMode(mode);
    this.#box.mode = mode;
  }

  /** The dotted path in a row to its label; empty for its title, name, label or id. */
  get labelPath(): string {
    return this.#box.look.labelPath;
  }

  set labelPath(labelPath: string) {
    this.#box.look = { ...this.#box.look, labelPath };
  }

  /** The dotted path in a row to the address of its icon; empty for none. */
  get iconPath(): string {
    return this.#box.look.iconPath;
  }

  set iconPath(iconPath: string) {
    this.#box.look = { ...this.#box.look, iconPath };
  }

  get delegate(): ListDelegate {
    return this.#box.look.delegate;
  }

  /** @throws TypeError where it filters or sorts and the list has a source. */
  set delegate(delegate: ListDelegate) {
    if (this.#source) assertUnsorted(delegate);
    this.#box.look = { ...this.#box.look, delegate };
    this.#show();
  }

  connectedCallback(): void {
    for (const name of EARLY) takeEarly(this, name);
    this.#takeName();
    this.#follow();
    if (this.#source) this.#show();
    this.#box.screen.attach();
  }

  disconnectedCallback(): void {
    this.#follow();
    this.#box.screen.detach();
  }

  attributeChangedCallback(name: string, _old: string | null, value: string | null): void {
    if (name === 'label-path') this.labelPath = value ?? '';
    else if (name === 'icon-path') this.iconPath = value ?? '';
    else if (name === 'selection-mode') Reflect.set(this, 'selectionMode', value ?? 'single');
    else this.#takeName();
  }

  #scrollThrough(source: ListSource | null): void {
    this.#source = source;
    this.#box.turnTo();
    this.#follow();
    this.#show();
  }

  /** A list outside the document neither holds on to a source nor moves it. */
  #follow(): void {
    this.#scrolling?.end();
    this.#scrolling = this.#source && this.isConnected ? new Scrolling(this.#source, this.#changed) : null;
  }

  /** Moves the source only for rows in sight that are missing: it may have other lists, which want it elsewhere. */
  readonly #changed = (isElsewhere: boolean): void => {
    const { screen } = this.#box;
    this.#isTold = true;
    this.#show();
    this.#isTold = false;
    if (isElsewhere) screen.seek();
    else if (screen.lacks) this.#reach(screen.drawn);
  };

  #reach(span: Span): void {
    if (!this.#scrolling || this.#isTold) return;
    if (this.#box.screen.frame.viewHeight > 0) this.#scrolling.reach(span);
  }

  #show(): void {
    if (this.#source) this.#box.show(rowsOf(this.#source));
    else this.#box.show(this.#model && allOf(present(this.#model, this.delegate)));
  }

  /** The listbox is in the shadow root, where no id from outside reaches: it takes over the text of the label. */
  #takeName(): void {
    const root = this.getRootNode();
    const ids = this.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
    const texts =
      root instanceof Document || root instanceof ShadowRoot ? ids.map((id) => textOf(root, id)) : [];
    this.#box.screen.viewport.ariaLabel = texts.join(' ').trim() || this.getAttribute('aria-label');
  }
}

function textOf(root: Document | ShadowRoot, id: string): string {
  return root.getElementById(id)?.textContent ?? '';
}

/** An own property, set before the element was defined, would hide the accessor. */
function takeEarly(element: HTMLElement, name: string): void {
  if (!Object.hasOwn(element, name)) return;
  const value: unknown = Reflect.get(element, name);
  Reflect.deleteProperty(element, name);
  Reflect.set(element, name, value);
}
