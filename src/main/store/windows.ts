import type { Arranged } from './arrangement.ts';
import { PartStore } from './part-store.ts';
import type { StoreWindow } from './store-window.ts';
import type { WindowMember, WindowSource } from './window-source.ts';
import type { Range } from './range.ts';

/** The windows of one store. */
export class Windows {
  readonly #members = new Set<WindowMember>();
  readonly #source: WindowSource;

  /** `left` is called when a window has ended. */
  constructor(source: Omit<WindowSource, 'join'>, left: () => void) {
    const join = (member: WindowMember): (() => void) => {
      this.#members.add(member);
      return () => {
        this.#members.delete(member);
        left();
      };
    };
    this.#source = { ...source, join };
  }

  get size(): number {
    return this.#members.size;
  }

  open<Row>(range: Range, arranged: Arranged | null): StoreWindow<Row> {
    return toldAs(new PartStore<Row>(this.#source, range, arranged));
  }

  /** There is an answer, whole or not. */
  answered(): void {
    for (const member of this.#members) member.answered();
  }

  statusChanged(): void {
    for (const member of this.#members) member.statusChanged();
  }

  dispose(): void {
    for (const member of this.#members) member.dispose();
  }
}

/** The compiler cannot see what events a window dispatches; the overload tells it. */
function toldAs<Row>(window: PartStore<Row>): StoreWindow<Row>;
function toldAs(window: unknown): unknown {
  return window;
}
