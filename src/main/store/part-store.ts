import { isNewer, isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RowsAnswer } from '../../shared/part.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { RestError } from '../error.ts';
import type { QueryRecord } from '../queries/record.ts';
import { frozen } from '../development.ts';
import { arrangedBy, rangeOf } from './window-source.ts';
import type {
  Arranged,
  Arrangement,
  Range,
  StoreWindowStatus,
  Whole,
  WindowSource,
} from './window-source.ts';
import { ModelStore } from './model-store.ts';
import type { Standing } from './model-store.ts';
import type { RestStoreStatus } from './status.ts';
import { keptRows } from '../patch/heirs.ts';

/** The rows to show; each arrangement is a new object. */
interface Wish extends Range {
  readonly arranged: Arranged | null;
}

interface Cut<Row> {
  readonly wish: Wish;
  readonly rows: readonly Row[];
  readonly total: number;
  readonly record: QueryRecord;
  readonly revision: Revision | null;
}

/** A window as it works; `StoreWindow` says what it is. */
export class PartStore<Row = unknown> extends ModelStore<readonly Row[], StoreWindowStatus> {
  protected readonly standing: Standing<StoreWindowStatus>;
  readonly #source: WindowSource;
  readonly #asking = new OneAtATime(() => this.#ask());
  #wanted: Wish;
  #cut: Cut<Row> | null = null;
  #error: RestError | null = null;
  #statusHasChanged = false;

  constructor(source: WindowSource, range: Range, arranged: Arranged | null) {
    super();
    this.#source = source;
    this.#wanted = { ...range, arranged };
    this.standing = this.#standingBy(source);
    this.ends.push(
      source.join({
        answered: () => this.#refresh(),
        statusChanged: () => this.#changeStatus(),
        empty: () => this.#empty(),
        dispose: () => this.dispose(),
      }),
      () => this.#asking.end(),
    );
    this.#refresh();
  }

  /** The index in the whole list, from 0, of the model's first row: of the rows shown, not of those on their way. */
  get start(): number {
    return (this.#cut?.wish ?? this.#wanted).start;
  }

  /** How many rows were asked for; at the end of the list the model has fewer. */
  get count(): number {
    return (this.#cut?.wish ?? this.#wanted).count;
  }

  /** The length of the whole list, after the filter; null before the first rows. */
  get total(): number | null {
    return this.#cut?.total ?? null;
  }

  /**
   * Shows other rows as soon as they are there; of several moves in a row only the last counts.
   * @throws TypeError where one is not a number; RangeError where it is not a whole number from 0, or too large.
   */
  move(start: number, count: number = this.#wanted.count): void {
    this.#show({ ...rangeOf(start, count), arranged: this.#wanted.arranged });
  }

  /**
   * Shows the list in another order or through another filter, from its first row on; `{}` shows it as it is.
   * @throws TypeError where a function has no name, its arguments are not JSON, or the page makes the models.
   */
  arrange(arrangement: Arrangement): void {
    const arranged = arrangedBy(arrangement);
    if (arranged) this.#source.assertArrangeable();
    const isSame = JSON.stringify(arranged) === JSON.stringify(this.#wanted.arranged);
    if (!isSame) this.#show({ start: 0, count: this.#wanted.count, arranged });
  }

  #show(wish: Wish): void {
    // A failed wish is asked for again.
    if (this.isDisposed || (isSameWish(wish, this.#wanted) && !this.#error)) return;
    this.#wanted = wish;
    this.#refresh();
  }

  #empty(): void {
    this.#cut = null;
    this.#error = null;
    if (this.model !== null) this.show(null);
    this.#changeStatus();
  }

  #refresh(): void {
    const whole = this.#wanted.arranged ? null : this.#source.whole();
    if (whole && !this.#isOlder(whole)) return this.#cutFrom(whole);
    const answered = this.#source.answered();
    if (answered && !this.#has(answered)) this.#asking.ask();
  }

  /** True for rows that others have replaced, here or in what the page was told of their query. */
  #isOlder({ record, revision }: Pick<Cut<Row>, 'record' | 'revision'>): boolean {
    const shown = this.#cut?.record === record ? this.#cut.revision : null;
    return record.isOlder(revision) || (!!shown && !!revision && isNewer(shown, revision));
  }

  #has(record: QueryRecord): boolean {
    const cut = this.#cut;
    const revision = record.newest?.revision;
    if (!cut?.revision || !revision || this.#error || !isSameWish(cut.wish, this.#wanted)) return false;
    return cut.record === record && isSameRevision(cut.revision, revision);
  }

  #cutFrom({ model, record, revision }: Whole): void {
    if (!Array.isArray(model)) return this.#fail(NO_LIST);
    const { start, count } = this.#wanted;
    const rows: readonly Row[] = model.slice(start, start + count);
    this.#take({ wish: this.#wanted, rows, total: model.length, record, revision });
  }

  async #ask(): Promise<void> {
    const [wish, record] = [this.#wanted, this.#source.answered()];
    if (!record?.newest) return;
    const { start, count, arranged } = wish;
    const part = this.#source.part(record.newest.invocation, { start, count, ...arranged });
    const answer = await part.catch(errorOf);
    // Otherwise the work runs again, or the whole answer has come.
    const isStillWanted = wish === this.#wanted && this.#source.answered() === record;
    if (this.isDisposed || !isStillWanted) return;
    if (answer instanceof RestError) return this.#fail(answer);
    this.#takePart(answer, wish, record);
  }

  #takePart(answer: RowsAnswer, wish: Wish, record: QueryRecord): void {
    switch (answer.kind) {
      case 'rows': {
        const { revision, total, text } = answer;
        if (this.#isOlder({ record, revision })) return;
        const rows: readonly Row[] = JSON.parse(text);
        return this.#take({ wish, rows, total, record, revision });
      }
      case 'not-stored':
        if (wish.arranged) return this.#fail(NOT_ARRANGED);
        return this.#source.lackParts() ? undefined : this.#fail(NOT_STORED);
      case 'no-list':
        return this.#fail(NO_LIST);
      case 'failed':
        return this.#fail(new RestError(answer.failure));
      default:
        return unreachable(answer);
    }
  }

  #take(cut: Cut<Row>): void {
    const before = this.#cut;
    const old = this.model;
    const rows = keptRows(before && old && { rows: old, start: before.wish.start }, {
      rows: cut.rows,
      start: cut.wish.start,
    });
    // Only these rows of a whole answer are kept.
    this.#cut = { ...cut, rows };
    const isElsewhere = before?.total !== cut.total || !isSameWish(before.wish, cut.wish);
    this.#statusHasChanged ||= isElsewhere || this.#error !== null;
    this.#error = null;
    if (rows !== old) this.show(frozen(rows));
    this.tellStatus();
  }

  /** Stores why there are no rows, until there are some. */
  #fail(error: RestError): void {
    if (this.#error?.message === error.message) return;
    this.#error = error;
    this.#changeStatus();
  }

  #changeStatus(): void {
    this.#statusHasChanged = true;
    this.tellStatus();
  }

  #standingBy({ status }: WindowSource): Standing<StoreWindowStatus> {
    let last: RestStoreStatus | null = null;
    return {
      read: () => {
        const { start, count, total } = this;
        const read = last ?? status();
        return frozen({ ...read, error: this.#error ?? read.error, total, start, count });
      },
      hasChanged: () => {
        const hasChanged = this.#statusHasChanged;
        this.#statusHasChanged = false;
        return hasChanged;
      },
      end: () => {
        last = status();
      },
    };
  }
}

const NO_LIST = new RestError({
  code: 'no-part',
  message: "The window's rows cannot be had: the answer has no list there; see the store's 'select'",
});

const NOT_STORED = new RestError({
  code: 'no-part',
  message:
    "The window's rows cannot be had: the answer is not stored, and no loop brings it again; call the action",
});

const NOT_ARRANGED = new RestError({
  code: 'no-part',
  message: "The window's rows cannot be filtered or sorted: the worker has not stored the answer",
});

function isSameWish(one: Wish, other: Wish): boolean {
  return one.start === other.start && one.count === other.count && one.arranged === other.arranged;
}

function errorOf(error: unknown): RestError {
  if (error instanceof RestError) return error;
  return new RestError({ code: 'protocol', message: String(error) }, error);
}

/** Runs slow work once at a time: requests that come meanwhile cause one more run in all. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #isWanted = false;
  #isUnderWay = false;

  /** `work` never rejects. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  ask(): void {
    this.#isWanted = true;
    if (!this.#isUnderWay) void this.#run();
  }

  /** The current run goes on; no other follows. */
  end(): void {
    this.#isWanted = false;
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#work();
    }
    this.#isUnderWay = false;
  }
}
