import { render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { distinctIdentities, allOf, isThere, rowAt } from './rows.ts';
import type { Rows } from './rows.ts';
import { anchoredScroll, scrollTo, visibleRows, windowOf } from './window.ts';
import type { Frame, Span } from './window.ts';

/** Makes the template of a row, or of one that is not present. */
export type Paint = (row: unknown, index: number, count: number) => unknown;

/** Shows rows of one height; only those in sight are elements. */
export class Screen {
  readonly viewport: HTMLElement = part('viewport');
  readonly #space = part('space');
  readonly #window = part('window');
  readonly #paint: Paint;
  readonly #hasDrawn: (span: Span) => void;
  readonly #resizes: ResizeObserver = new ResizeObserver(() => this.measure());
  #rows: Rows = allOf([]);
  #rowHeight = 0;
  #drawn: Span = { from: 0, to: 0 };

  /** `hasDrawn` is called with the rows that are elements, at every rendering. */
  constructor(paint: Paint, hasDrawn: (span: Span) => void) {
    this.#paint = paint;
    this.#hasDrawn = hasDrawn;
    this.#space.append(this.#window);
    this.viewport.append(this.#space);
    this.viewport.addEventListener('scroll', () => this.#followScroll(), { passive: true });
  }

  get frame(): Frame {
    const { scrollTop, clientHeight: viewHeight } = this.viewport;
    return { scrollTop, viewHeight, rowHeight: this.#rowHeight, count: this.#rows.length };
  }

  /** Shows other rows; the rows in sight stay where they are. */
  show(rows: Rows): void {
    const scrollTop = anchoredScroll(this.frame, this.#rows, rows);
    this.#rows = rows;
    this.#stretch();
    if (scrollTop > 0) this.viewport.scrollTop = scrollTop;
    this.draw();
  }

  /** Renders the rows in sight; unchanged ones cost almost nothing. */
  draw(): void {
    this.#render(windowOf(this.frame));
    if (this.#rowHeight === 0 && this.#rows.length > 0) this.measure();
  }

  /** Scrolls until a row is wholly in sight. */
  reveal(index: number): void {
    const { frame } = this;
    const scrollTop = scrollTo(index, frame);
    if (index >= 0 && scrollTop !== frame.scrollTop) this.viewport.scrollTop = scrollTop;
  }

  get drawn(): Span {
    return this.#drawn;
  }

  /** True where a row in sight is not present. */
  get lacks(): boolean {
    const { from, to } = visibleRows(this.frame);
    return from < to && !(isThere(this.#rows, from) && isThere(this.#rows, to - 1));
  }

  /** Scrolls to the present rows where none of them is in sight. */
  seek(): void {
    const { from, to } = visibleRows(this.frame);
    const { start, there } = this.#rows;
    if (there.length === 0 || (start < to && start + there.length > from)) return;
    this.viewport.scrollTop = start * this.#rowHeight;
  }

  /** Measures the row height, which style sheets decide, on the first rendered row. */
  measure(): void {
    this.#space.style.removeProperty('--row-height');
    const row = isThere(this.#rows, this.#drawn.from) ? this.#window.firstElementChild : null;
    // In whole pixels, and before any transformation of the list.
    const height = row instanceof HTMLElement ? row.offsetHeight : 0;
    if (height > 0) this.#rowHeight = height;
    this.#stretch();
    this.#render(windowOf(this.frame));
  }

  /** Follows the size of the viewport while it is in a document. */
  attach(): void {
    this.#resizes.observe(this.viewport);
    this.draw();
  }

  detach(): void {
    this.#resizes.disconnect();
  }

  #followScroll(): void {
    const { from, to } = windowOf(this.frame);
    if (from !== this.#drawn.from || to !== this.#drawn.to) this.draw();
  }

  #render(span: Span): void {
    this.#drawn = span;
    const rows = Array.from({ length: span.to - span.from }, (_, at) => rowAt(this.#rows, span.from + at));
    const identities = distinctIdentities(rows);
    const paint = (row: unknown, at: number): unknown => this.#paint(row, span.from + at, this.#rows.length);
    this.#window.style.top = `${span.from * this.#rowHeight}px`;
    render(
      repeat(rows, (_row, at) => identities[at], paint),
      this.#window,
    );
    this.#hasDrawn(span);
  }

  #stretch(): void {
    if (this.#rowHeight > 0) this.#space.style.setProperty('--row-height', `${this.#rowHeight}px`);
    this.#space.style.height = `${this.#rows.length * this.#rowHeight}px`;
  }
}

function part(name: string): HTMLElement {
  const element = document.createElement('div');
  element.part.value = name;
  return element;
}
