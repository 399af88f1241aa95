import { identityOf } from './identity.ts';
import { locate } from './locate.ts';
import type { Places } from './locate.ts';
import type { Move, SelectionMode } from './moves.ts';

/** A row by its identity, and where it stands. */
interface Place {
  readonly identity: unknown;
  readonly index: number;
}

/** Which rows are selected and which is the active one; both follow their rows from model to model. */
export class Choices {
  #rows: readonly unknown[] | null = null;
  #mode: SelectionMode = 'single';
  #selected: Places = new Map();
  #active: Place | null = null;
  /** Where a range begins. */
  #pivot: Place | null = null;

  get mode(): SelectionMode {
    return this.#mode;
  }

  set mode(mode: SelectionMode) {
    this.#mode = mode;
    this.#select(this.#selected);
  }

  /** The selected rows as they are now, in the order in which they were selected. */
  get selected(): unknown[] {
    const rows = this.#rows;
    return rows === null ? [] : Array.from(this.#selected.values(), (index) => rows[index]);
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
    this.#select(this.#rows === null ? wanted : locate(this.#rows, wanted));
  }

  /**
   * Goes over to other rows: who is gone is no longer selected, and the next one is active in its place. Without a model,
   * null, all are waited for.
   */
  follow(rows: readonly unknown[] | null): void {
    this.#rows = rows;
    if (rows === null) return;
    this.#selected = locate(rows, this.#selected);
    const next = Math.min(this.active, rows.length - 1);
    this.#active = follow(rows, this.#active) ?? this.#placeOf(next);
    this.#pivot = follow(rows, this.#pivot);
  }

  /** Makes a row the active one where none is: the first that is selected, else the one given. */
  enter(otherwise: number): void {
    const [first = otherwise] = this.#selected.values();
    if (this.#active === null && this.#mode !== 'none') this.#active = this.#placeOf(first);
  }

  take({ to, choice }: Move): void {
    const place = this.#placeOf(to);
    const start = this.#pivot ?? this.#active ?? place;
    this.#active = place;
    this.#pivot = choice === 'range' || choice === 'all' ? start : place;
    if (choice === 'only') this.#select(this.#between(to, to));
    if (choice === 'toggle') this.#toggle(to);
    if (choice === 'range') this.#select(this.#between(start?.index ?? to, to));
    if (choice === 'all') this.#select(this.#between(0, (this.#rows?.length ?? 0) - 1));
  }

  #select(places: Places): void {
    const most = { none: 0, single: 1, multiple: Infinity }[this.#mode];
    this.#selected = places.size <= most ? places : new Map(Array.from(places).slice(0, most));
  }

  #toggle(index: number): void {
    const selected = new Map(this.#selected);
    const identity = identityOf(this.#rows?.[index]);
    if (!selected.delete(identity)) selected.set(identity, index);
    this.#select(selected);
  }

  #between(one: number, other: number): Places {
    const places = new Map<unknown, number>();
    const rows = this.#rows ?? [];
    const last = Math.min(Math.max(one, other), rows.length - 1);
    for (let index = Math.max(0, Math.min(one, other)); index <= last; index += 1) {
      places.set(identityOf(rows[index]), index);
    }
    return places;
  }

  #placeOf(index: number): Place | null {
    const rows = this.#rows ?? [];
    return index in rows ? { identity: identityOf(rows[index]), index } : null;
  }
}

function follow(rows: readonly unknown[], place: Place | null): Place | null {
  if (place === null) return null;
  const [now] = locate(rows, new Map([[place.identity, place.index]]));
  return now ? { identity: now[0], index: now[1] } : null;
}
