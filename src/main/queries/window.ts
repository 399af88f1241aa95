import { frozen } from '../development.ts';
import { RestError } from '../error.ts';
import type { Range } from '../store/window-source.ts';
import { nextSnapshot, told } from './view.ts';
import type { Snapshot } from './view.ts';
import { handled } from './shown.ts';

/** What a window shows at one moment: `data` are its rows. */
export interface WindowSnapshot<Row = unknown> extends Snapshot<readonly Row[]> {
  /** The length of the whole list; null before the first answer. */
  readonly total: number | null;
}

/** The query of whose list a window shows some rows. */
interface Whole {
  readonly snapshot: Snapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly loaded: Promise<unknown>;
  refresh(): Promise<unknown>;
}

const NO_LIST = new RestError({
  code: 'no-part',
  message: "The window's rows cannot be had: the query's data are no list; see its 'select'",
});

/** Some rows of a query's list, as a query of their own. A change elsewhere in the list is none of the window. */
export class QueryWindow<Row = unknown> {
  readonly #whole: Whole;
  readonly #range: Range;
  /** The whole's snapshot of which the window's was made. */
  #basis: Snapshot | null = null;
  #snapshot: WindowSnapshot<Row>;

  constructor(whole: Whole, range: Range) {
    this.#whole = whole;
    this.#range = range;
    this.#snapshot = this.#cut(whole.snapshot, null);
  }

  /** What is known now. The same object until one of its members changes. */
  get snapshot(): WindowSnapshot<Row> {
    const { snapshot } = this.#whole;
    if (snapshot !== this.#basis) {
      this.#basis = snapshot;
      this.#snapshot = nextSnapshot(this.#snapshot, this.#cut(snapshot, this.#snapshot.data));
    }
    return this.#snapshot;
  }

  /** Resolves with the first rows; rejects with the first error where there are none. */
  get loaded(): Promise<readonly Row[]> {
    return this.#rowsAfter(this.#whole.loaded);
  }

  /** Calls the listener whenever `snapshot` has become another object. The query loads while somebody subscribes. Bound. */
  readonly subscribe = (listener: () => void): (() => void) => {
    let last = this.snapshot;
    const leave = this.#whole.subscribe(() => {
      const before = last;
      last = this.snapshot;
      if (last !== before) told(listener);
    });
    last = this.snapshot;
    return leave;
  };

  /** Asks the server, whatever is fresh; resolves with the new rows. */
  refresh(): Promise<readonly Row[]> {
    return this.#rowsAfter(this.#whole.refresh());
  }

  #rowsAfter(promise: Promise<unknown>): Promise<readonly Row[]> {
    return handled(this.#rowsLater(promise));
  }

  async #rowsLater(promise: Promise<unknown>): Promise<readonly Row[]> {
    await promise;
    const { data, error } = this.snapshot;
    if (data) return data;
    throw error ?? NO_LIST;
  }

  #cut(whole: Snapshot, before: readonly Row[] | null): WindowSnapshot<Row> {
    const { data } = whole;
    if (data === null) return { ...whole, data, total: null };
    if (!Array.isArray(data)) return { ...whole, data: null, status: 'error', error: NO_LIST, total: null };
    const { start, count } = this.#range;
    const rows: readonly Row[] = data.slice(start, start + count);
    const isSame =
      before?.length === rows.length && rows.every((row, index) => Object.is(row, before[index]));
    return { ...whole, data: isSame ? before : frozen(rows), total: data.length };
  }
}
