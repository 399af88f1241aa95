import type { Arranged, Range, WindowMember, WindowSource } from './window-source.ts';
import { PartStore } from './part-store.ts';
import type { ChangeModelEvent } from './model-store.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { RowsAnswer, RowsQuery } from '../../shared/part.ts';
import type { Link } from '../resource/link.ts';

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

  answered(): void {
    for (const member of this.#members) member.answered();
  }

  empty(): void {
    for (const member of this.#members) member.empty();
  }

  statusChanged(): void {
    for (const member of this.#members) member.statusChanged();
  }

  dispose(): void {
    for (const member of this.#members) member.dispose();
  }
}

/** The compiler cannot see which events a window dispatches; the overload tells it. */
function toldAs<Row>(window: PartStore<Row>): StoreWindow<Row>;
function toldAs(window: unknown): unknown {
  return window;
}

/**
 * Some rows of a store's list, as a store of their own: `model` is these rows, null before the first. Dispatches
 * `changeModel` when a row has changed or other rows are shown, and `changeStatus` when its `status` has changed,
 * including `total`, `start` and `count`.
 */
export interface StoreWindow<Row = unknown> extends PartStore<Row> {
  addEventListener(
    type: 'changeModel',
    listener: ((event: ChangeModelEvent<readonly Row[]>) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: 'changeStatus',
    listener: ((event: Event) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

/** Some rows of the newest stored answer of an invocation; rejects where the worker does not answer in time. */
export async function rowsOf(
  resource: { link(): Link },
  invocation: Invocation,
  part: RowsQuery,
): Promise<RowsAnswer> {
  const reply = await resource.link().session.request({ kind: 'part', invocation, part });
  if (reply.kind === 'part') return reply.part;
  throw new TypeError('The worker answered something else than a part');
}
