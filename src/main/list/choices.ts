import { identityOf, NOT_THERE, areAll, isThere, rowAt } from './rows.ts';
import type { Move, SelectionMode } from './moves.ts';
import type { Rows } from './rows.ts';

interface RowPosition {
  /** `NOT_THERE` for a row that has not arrived yet. */
  readonly identity: unknown;
  readonly index: number;
}

/**
 * The selected rows and the active row; both follow their rows from model to model. Where only some rows are present,
 * the others keep their selection and the contents seen last.
 */
export class Choices {
  #rows: Rows | null = null;
  #mode: SelectionMode = 'single';
  /** A row that is not present keeps its last index. */
  #selected: RowPositions = new Map();
  /** The last contents of selected rows that may not be present, by identity. */
  #seen: ReadonlyMap<unknown, unknown> = new Map();
  #active: RowPosition | null = null;
  /** The start of a range. */
  #pivot: RowPosition | null = null;
  /** A move to a row that is not present yet. */
  #awaited: Move | null = null;

  get mode(): SelectionMode {
    return this.#mode;
  }

  set mode(mode: SelectionMode) {
    this.#mode = mode;
    this.#select(this.#selected);
  }

  /** The selected rows as they are now, in the order of selection. */
  get selected(): unknown[] {
    if (this.#rows === null) return [];
    return Array.from(this.#selected, ([identity, index]) => this.#rowOf(identity, index));
  }

  /** The index of the active row; -1 where there is none. */
  get active(): number {
    return this.#active?.index ?? -1;
  }

  isSelected(row: unknown): boolean {
    return this.#rows !== null && this.#selected.has(identityOf(row));
  }

  /** Selects these rows, or others of the same identity. Before there is a model, the selection waits for them. */
  select(rows: readonly unknown[]): void {
    const wanted = new Map(rows.map((row) => [identityOf(row), -1]));
    this.#seen = new Map(rows.map((row) => [identityOf(row), row]));
    this.#awaited = null;
    this.#select(this.#rows === null ? wanted : located(this.#rows, wanted, false));
  }

  /** The next rows are those of another list: a pending move to a row of the old list is dropped. */
  turnTo(): void {
    this.#awaited = null;
  }

  /**
   * Goes on with other rows: rows that are gone are no longer selected, and the row at the index of the active one
   * becomes active. With null, no model, all selected rows are waited for.
   */
  follow(rows: Rows | null): void {
    if (rows !== null && !areAll(rows)) {
      this.#seen = new Map(
        Array.from(this.#selected, ([identity, index]) => [identity, this.#rowOf(identity, index)]),
      );
    }
    const before = this.#rows;
    this.#rows = rows;
    if (rows === null) return;
    const isShorter = before !== null && rows.length < before.length;
    this.#selected = located(rows, this.#selected, isShorter);
    this.#active = follow(rows, this.#active) ?? positionOf(rows, Math.min(this.active, rows.length - 1));
    this.#pivot = follow(rows, this.#pivot);
    if (this.#awaited !== null && isThere(rows, this.#awaited.to)) this.take(this.#awaited);
  }

  /** Makes a row active where none is: the first selected row, else the given one. */
  enter(otherwise: number): void {
    const first = Array.from(this.#selected.values()).find((index) => index >= 0);
    if (this.#active === null && this.#mode !== 'none') this.#active = this.#positionOf(first ?? otherwise);
  }

  /** A missing row is active at once and selected when it arrives. `all` works only where all rows are present. */
  take(move: Move): void {
    const { to, choice } = move;
    const position = this.#positionOf(to);
    const start = this.#pivot ?? this.#active ?? position;
    this.#active = position;
    this.#pivot = choice === 'range' || choice === 'all' ? start : position;
    const isAwaited = position?.identity === NOT_THERE && choice !== 'keep' && choice !== 'all';
    this.#awaited = isAwaited ? move : null;
    if (isAwaited && choice !== 'range') return;
    if (choice === 'only') this.#select(this.#between(to, to));
    if (choice === 'toggle') this.#toggle(to);
    if (choice === 'range') this.#select(this.#between(start?.index ?? to, to));
    if (choice === 'all' && this.#rows && areAll(this.#rows)) {
      this.#select(this.#between(0, this.#rows.length - 1));
    }
  }

  #select(positions: RowPositions): void {
    const most = { none: 0, single: 1, multiple: Infinity }[this.#mode];
    this.#selected = positions.size <= most ? positions : new Map(Array.from(positions).slice(0, most));
  }

  #toggle(index: number): void {
    const selected = new Map(this.#selected);
    const identity = this.#rows && identityOf(rowAt(this.#rows, index));
    if (!selected.delete(identity)) selected.set(identity, index);
    this.#select(selected);
  }

  /** The rows between two indexes that are present, or were when they were selected. */
  #between(one: number, other: number): RowPositions {
    const positions = new Map<unknown, number>();
    const rows = this.#rows;
    if (rows === null) return positions;
    const [least, most] = [Math.min(one, other), Math.max(one, other)];
    for (const [identity, index] of this.#selected) {
      if (index >= least && index <= most && !isThere(rows, index)) positions.set(identity, index);
    }
    const end = Math.min(most + 1, rows.start + rows.there.length);
    for (let index = Math.max(least, rows.start); index < end; index += 1) {
      positions.set(identityOf(rowAt(rows, index)), index);
    }
    return positions;
  }

  #rowOf(identity: unknown, index: number): unknown {
    const row = this.#rows === null ? NOT_THERE : rowAt(this.#rows, index);
    return identityOf(row) === identity ? row : this.#seen.get(identity);
  }

  #positionOf(index: number): RowPosition | null {
    return this.#rows && positionOf(this.#rows, index);
  }
}

/**
 * The present indexes of rows, without those that are gone. Where only some rows are present, a row that is not among
 * them keeps its index, unless the list has become shorter and another row has that index.
 */
function located(rows: Rows, before: RowPositions, isShorter: boolean): RowPositions {
  const found = locate(rows, before);
  if (areAll(rows)) return found;
  const isGone = (index: number): boolean => index >= rows.length || (isShorter && isThere(rows, index));
  const positions = Array.from(
    before,
    ([identity, index]) => [identity, found.get(identity) ?? index] as const,
  );
  return new Map(positions.filter(([identity, index]) => found.has(identity) || !isGone(index)));
}

function follow(rows: Rows, position: RowPosition | null): RowPosition | null {
  if (position === null || position.identity === NOT_THERE) return null;
  const [now] = locate(rows, new Map([[position.identity, position.index]]));
  if (now) return { identity: now[0], index: now[1] };
  return areAll(rows) || isThere(rows, position.index) || position.index >= rows.length ? null : position;
}

function positionOf(rows: Rows, index: number): RowPosition | null {
  if (index < 0 || index >= rows.length) return null;
  return { identity: identityOf(rowAt(rows, index)), index };
}

/** Identities of rows, each with its index, or -1 where that is unknown. */
type RowPositions = ReadonlyMap<unknown, number>;

/**
 * The present indexes of rows in the given order, without those that are not present. Rows whose index is unchanged
 * cost nothing; for the others there is one pass, which ends when the last of them is found.
 */
export function locate(rows: Rows, before: RowPositions): RowPositions {
  const moved = new Map<unknown, number>();
  for (const [identity, index] of before) {
    if (identityOf(rowAt(rows, index)) !== identity) moved.set(identity, -1);
  }
  if (moved.size === 0) return before;
  const missing = search(rows, moved);
  const now = new Map<unknown, number>();
  for (const [identity, index] of before) now.set(identity, moved.get(identity) ?? index);
  if (missing > 0) for (const [identity, index] of now) if (index < 0) now.delete(identity);
  return now;
}

/** Fills in the indexes; returns how many rows were not found. */
function search({ there, start }: Rows, wanted: Map<unknown, number>): number {
  let missing = wanted.size;
  for (let at = 0; at < there.length && missing > 0; at += 1) {
    const identity = identityOf(there[at]);
    if (wanted.get(identity) !== -1) continue;
    wanted.set(identity, start + at);
    missing -= 1;
  }
  return missing;
}

/** The selection has changed: `value` holds the rows that are selected now, `old` those that were. */
export class ChangeSelectionEvent extends Event {
  readonly value: readonly unknown[];
  readonly old: readonly unknown[];

  constructor(value: readonly unknown[], old: readonly unknown[]) {
    super('changeSelection');
    this.value = value;
    this.old = old;
  }

  getData(): readonly unknown[] {
    return this.value;
  }

  getOldData(): readonly unknown[] {
    return this.old;
  }
}

/** True where both contain the same rows by identity, whatever else has changed in them. */
export function areSameRows(some: readonly unknown[], others: readonly unknown[]): boolean {
  return (
    some.length === others.length &&
    some.every((row, at) => row === others[at] || identityOf(row) === identityOf(others[at]))
  );
}
