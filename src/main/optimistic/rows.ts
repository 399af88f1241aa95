import { nameOf, NAMES, own } from '../patch/node.ts';
import { share } from '../patch/heirs.ts';
import { isRecord } from '../../shared/shape.ts';
import { isPlainObject } from '../resource/params.ts';
import { together } from './write.ts';
import type { Made, Optimism, OptimisticStep, OptimisticWrite } from './write.ts';

/** What becomes of one row, the same row where nothing does; null for nothing. */
type RowChange = (row: unknown, write: OptimisticWrite) => unknown;

/** How a write changes a list: it adds a row, or changes those with its id. */
type RowsChange =
  | { readonly kind: 'add'; readonly at: 'start' | 'end' }
  | { readonly kind: 'each'; readonly change: RowChange };

/** A function for `optimistic` that changes rows of a list. */
export type RowsOptimism = <Model>(model: Model, write: OptimisticWrite) => Model;

/** The functions of this file. */
const CHANGES = new WeakMap<Optimism, RowsChange>();

/**
 * For `optimistic`: adds what is written at the end of the list, with its temporary id as `id`. A model that is no list stays as
 * it is.
 */
export const appendRow: RowsOptimism = /* @__PURE__ */ changing({ kind: 'add', at: 'end' });

/** The same at the start of the list. */
export const prependRow: RowsOptimism = /* @__PURE__ */ changing({ kind: 'add', at: 'start' });

/**
 * For `optimistic`: puts the members of what is written into the row whose `id`, `_id` or `key` is the parameter of that name. A
 * model that is no list stays as it is.
 */
export const changeRow: RowsOptimism = /* @__PURE__ */ changing({
  kind: 'each',
  change: (row, { data }) =>
    isPlainObject(row) && isPlainObject(data) ? { ...row, ...data, ...nameKept(row, data) } : row,
});

/** For `optimistic`: leaves out the row whose `id`, `_id` or `key` is the parameter of that name. */
export const removeRow: RowsOptimism = /* @__PURE__ */ changing({ kind: 'each', change: () => null });

function changing(change: RowsChange): RowsOptimism {
  function apply<Model>(model: Model, write: OptimisticWrite): Model;
  function apply(model: unknown, write: OptimisticWrite): unknown {
    return changedRows(model, [{ apply, write }], new Map());
  }
  CHANGES.set(apply, change);
  return together(apply, changedRows);
}

/**
 * The list as it is after all these writes, in one pass, whatever their number. Rows that are made again as they were are the same
 * objects: `made` has those of before, by their ids, and those of now afterwards.
 */
function changedRows(model: unknown, steps: readonly OptimisticStep[], made: Made): unknown {
  if (!Array.isArray(model)) return model;
  const list = new ChangedList(model, steps, made);
  for (const { apply, write } of steps) {
    const change = CHANGES.get(apply);
    if (change?.kind === 'add') list.add(write, change.at);
    else if (change)
      list.each(idOf(own(write.params, nameIn(write.params))), (row) => change.change(row, write));
  }
  return list.finish();
}

/** A list of which a few rows change. */
class ChangedList {
  readonly #model: readonly unknown[];
  readonly #made: Made;
  /** The rows with ids that are meant or were made before, by these as texts. */
  readonly #meant = new Map<string, Slot[]>();
  /** The same by ids as rows have them, so that no number is made a text for each row. */
  readonly #found = new Map<unknown, Slot[]>();
  readonly #first: Slot[] = [];
  readonly #last: Slot[] = [];

  constructor(model: readonly unknown[], steps: readonly OptimisticStep[], made: Made) {
    this.#model = model;
    this.#made = made;
    for (const { write } of steps)
      for (const id of [idOf(own(write.params, nameIn(write.params))), idOf(write.temporaryId)])
        if (id !== null) this.#mean(id);
    for (const id of made.keys()) this.#mean(String(id));
    for (const [index, row] of model.entries()) {
      // Most rows are not meant: only of one that may be, it is made sure that this is its name.
      const name = isRecord(row) ? (row['id'] ?? nameOf(row)) : undefined;
      const slots = this.#found.get(name);
      if (slots && nameOf(row) === name) slots.push({ index, row });
    }
  }

  #mean(id: string): void {
    if (this.#meant.has(id)) return;
    const slots: Slot[] = [];
    this.#meant.set(id, slots);
    this.#found.set(id, slots);
    if (String(Number(id)) === id) this.#found.set(Number(id), slots);
  }

  /** Adds what is written, unless a row has its id already: the server may have said so. */
  add(write: OptimisticWrite, at: 'start' | 'end'): void {
    const id = idOf(write.temporaryId);
    const slots = id === null ? [] : (this.#meant.get(id) ?? []);
    if (slots.some(({ row }) => row !== null)) return;
    const slot = { index: null, row: rowOf(write) };
    slots.push(slot);
    if (at === 'start') this.#first.unshift(slot);
    else this.#last.push(slot);
  }

  each(id: string | null, change: (row: unknown) => unknown): void {
    const slots = id === null ? [] : (this.#meant.get(id) ?? []);
    for (const slot of slots) if (slot.row !== null) slot.row = change(slot.row);
  }

  finish(): unknown {
    const before = new Map(this.#made);
    this.#made.clear();
    const changed = [...this.#meant].flatMap(([id, slots]) =>
      slots.filter((slot) => this.#settle(slot, id, before)),
    );
    const [first, last] = [rowsOf(this.#first), rowsOf(this.#last)];
    if (changed.length + first.length + last.length === 0) return this.#model;
    const rows = [...this.#model];
    const removed = new Set<number>();
    for (const { index, row } of changed) {
      if (index === null) continue;
      rows[index] = row;
      if (row === null) removed.add(index);
    }
    const kept = removed.size > 0 ? rows.filter((_row, index) => !removed.has(index)) : rows;
    return [...first, ...kept, ...last];
  }

  /** The row as it was made before where it is the same; true where it is none of the list. */
  #settle(slot: Slot, id: string, before: Made): boolean {
    const { index, row } = slot;
    const of = index === null ? null : this.#model[index];
    if (row === null) return index !== null;
    slot.row = share(before.get(id), row, new Map());
    if (row !== of) this.#made.set(id, slot.row);
    return slot.row !== of;
  }
}

/** A row; null once it is left out. `index` is null for one that is added. */
interface Slot {
  readonly index: number | null;
  row: unknown;
}

function rowsOf(slots: readonly Slot[]): unknown[] {
  return slots.flatMap(({ row }) => (row === null ? [] : [row]));
}

/** The row that a write adds. */
function rowOf({ data, temporaryId }: OptimisticWrite): unknown {
  const members = isPlainObject(data) ? data : {};
  return temporaryId === null ? { ...members } : { ...members, id: temporaryId };
}

/** An id as a text: a parameter is one, where the id of a row may be a number. */
function idOf(name: unknown): string | null {
  return typeof name === 'string' || typeof name === 'number' ? String(name) : null;
}

/** The member that names the row where the data say the same: a form has texts, where the id of a row may be a number. */
function nameKept(row: object, data: object): object {
  const isSame = (name: string): boolean =>
    Object.hasOwn(data, name) &&
    nameOf(row) === own(row, name) &&
    idOf(own(data, name)) === idOf(own(row, name));
  const name = NAMES.find(isSame);
  return name === undefined ? {} : { [name]: own(row, name) };
}

/** The parameter that names a row. */
function nameIn(params: object): string {
  return NAMES.find((name) => Object.hasOwn(params, name)) ?? 'id';
}
