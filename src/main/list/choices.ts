import { identityOf, NOT_THERE, areAll, isThere, rowAt } from './rows.ts';
import type { Move, SelectionMode } from './moves.ts';
import type { Rows } from './rows.ts';

/** A row by its identity, and where it stands. */
interface Place {
  /** `NOT_THERE` of a row that has not been there yet. */
  readonly identity: unknown;
  readonly index: number;
}

/**
 * Which rows are selected and which is the active one; both follow their rows from model to model. Where only some rows
 * are there, the others stay as they were: selected, and as they were seen last.
 */
export class Choices {
  #rows: Rows | null = null;
  #mode: SelectionMode = 'single';
  /** A row that is not there has the place where it was last. */
  #selected: Places = new Map();
  /** Selected rows that may not be there, by their identities. */
  #seen: ReadonlyMap<unknown, unknown> = new Map();
  #active: Place | null = null;
  /** Where a range begins. */
  #pivot: Place | null = null;
  /** A move to a row that is not there yet. */
  #awaited: Move | null = null;

  get mode(): SelectionMode {
    return this.#mode;
  }

  set mode(mode: SelectionMode) {
    this.#mode = mode;
    this.#select(this.#selected);
  }

  /** The selected rows as they are now, in the order in which they were selected. */
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

  /** Selects these rows, or others of the same identity. Before there is a model they are waited for. */
  select(rows: readonly unknown[]): void {
    const wanted = new Map(rows.map((row) => [identityOf(row), -1]));
    this.#seen = new Map(rows.map((row) => [identityOf(row), row]));
    this.#awaited = null;
    this.#select(this.#rows === null ? wanted : located(this.#rows, wanted, false));
  }

  /** What follows are the rows of another list: what was to be chosen in the one before is not. */
  turnTo(): void {
    this.#awaited = null;
  }

  /**
   * Goes over to other rows: who is gone is no longer selected, and the next one is active in its place. Without a model,
   * null, all are waited for.
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
    this.#active = follow(rows, this.#active) ?? placeOf(rows, Math.min(this.active, rows.length - 1));
    this.#pivot = follow(rows, this.#pivot);
    if (this.#awaited !== null && isThere(rows, this.#awaited.to)) this.take(this.#awaited);
  }

  /** Makes a row the active one where none is: the first that is selected, else the one given. */
  enter(otherwise: number): void {
    const first = Array.from(this.#selected.values()).find((index) => index >= 0);
    if (this.#active === null && this.#mode !== 'none') this.#active = this.#placeOf(first ?? otherwise);
  }

  /** A row that is not there is active at once, and chosen when it is there. All can be chosen only where all are. */
  take(move: Move): void {
    const { to, choice } = move;
    const place = this.#placeOf(to);
    const start = this.#pivot ?? this.#active ?? place;
    this.#active = place;
    this.#pivot = choice === 'range' || choice === 'all' ? start : place;
    const isAwaited = place?.identity === NOT_THERE && choice !== 'keep' && choice !== 'all';
    this.#awaited = isAwaited ? move : null;
    if (isAwaited && choice !== 'range') return;
    if (choice === 'only') this.#select(this.#between(to, to));
    if (choice === 'toggle') this.#toggle(to);
    if (choice === 'range') this.#select(this.#between(start?.index ?? to, to));
    if (choice === 'all' && this.#rows && areAll(this.#rows)) {
      this.#select(this.#between(0, this.#rows.length - 1));
    }
  }

  #select(places: Places): void {
    const most = { none: 0, single: 1, multiple: Infinity }[this.#mode];
    this.#selected = places.size <= most ? places : new Map(Array.from(places).slice(0, most));
  }

  #toggle(index: number): void {
    const selected = new Map(this.#selected);
    const identity = this.#rows && identityOf(rowAt(this.#rows, index));
    if (!selected.delete(identity)) selected.set(identity, index);
    this.#select(selected);
  }

  /** The rows from the one to the other that are there, or were when they were selected. */
  #between(one: number, other: number): Places {
    const places = new Map<unknown, number>();
    const rows = this.#rows;
    if (rows === null) return places;
    const [least, most] = [Math.min(one, other), Math.max(one, other)];
    for (const [identity, index] of this.#selected) {
      if (index >= least && index <= most && !isThere(rows, index)) places.set(identity, index);
    }
    const end = Math.min(most + 1, rows.start + rows.there.length);
    for (let index = Math.max(least, rows.start); index < end; index += 1) {
      places.set(identityOf(rowAt(rows, index)), index);
    }
    return places;
  }

  #rowOf(identity: unknown, index: number): unknown {
    const row = this.#rows === null ? NOT_THERE : rowAt(this.#rows, index);
    return identityOf(row) === identity ? row : this.#seen.get(identity);
  }

  #placeOf(index: number): Place | null {
    return this.#rows && placeOf(this.#rows, index);
  }
}

/**
 * Where rows stand now, without those that are gone. Who is not among some rows of many may be among the others, but where
 * the list has become shorter and another row stands in its place.
 */
function located(rows: Rows, before: Places, isShorter: boolean): Places {
  const found = locate(rows, before);
  if (areAll(rows)) return found;
  const isGone = (index: number): boolean => index >= rows.length || (isShorter && isThere(rows, index));
  const places = Array.from(before, ([identity, index]) => [identity, found.get(identity) ?? index] as const);
  return new Map(places.filter(([identity, index]) => found.has(identity) || !isGone(index)));
}

function follow(rows: Rows, place: Place | null): Place | null {
  if (place === null || place.identity === NOT_THERE) return null;
  const [now] = locate(rows, new Map([[place.identity, place.index]]));
  if (now) return { identity: now[0], index: now[1] };
  return areAll(rows) || isThere(rows, place.index) || place.index >= rows.length ? null : place;
}

function placeOf(rows: Rows, index: number): Place | null {
  if (index < 0 || index >= rows.length) return null;
  return { identity: identityOf(rowAt(rows, index)), index };
}

/** Where rows stand: their identities, each with its index, or -1 where that is not known. */
type Places = ReadonlyMap<unknown, number>;

/**
 * Where rows stand now, in the order asked for, without those that are not there. Rows that are still where they were
 * cost nothing; the others one pass over what is there, which ends where the last of them is found.
 */
export function locate(rows: Rows, before: Places): Places {
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

/** Fills in where they stand; returns how many are nowhere. */
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
