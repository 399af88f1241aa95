import { nameOf, own } from '../patch/node.ts';
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
  change: (row, { data }) => (isPlainObject(row) && isPlainObject(data) ? { ...row, ...data } : row),
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
  const changes = new RowsChanges(steps, made);
  let isSame = true;
  const rows: unknown[] = [];
  for (const row of model) {
    const next = changes.of(row);
    if (next !== row) isSame = false;
    if (next !== null || row === null) rows.push(next);
  }
  const { first, last } = changes.added();
  made.clear();
  for (const [id, row] of changes.made) made.set(id, row);
  const addsNothing = first.length === 0 && last.length === 0;
  if (addsNothing) return isSame ? model : rows;
  return [...first, ...rows, ...last];
}

/** The steps by the ids of the rows that they change. */
class RowsChanges {
  readonly made: Made = new Map();
  readonly #before: Made;
  /** True where the server may say now what was shown before. */
  readonly #mayBeSaid: boolean;
  readonly #steps = new Map<unknown, Ordered[]>();
  readonly #adding: Adding[] = [];

  constructor(steps: readonly OptimisticStep[], before: Made) {
    this.#before = before;
    for (const [turn, { apply, write }] of steps.entries()) {
      const change = CHANGES.get(apply);
      if (!change) continue;
      if (change.kind === 'each') this.#add(idIn(write), { turn, write, change: change.change });
      else this.#adding.push({ turn, write, id: write.temporaryId, at: change.at });
    }
    this.#mayBeSaid = [...before.keys()].some((id) => !this.#steps.has(id));
  }

  /** What becomes of a row of the list; null where it is left out. */
  of(row: unknown): unknown {
    // Most rows are not meant: only of one that may be, it is made sure that this is its name.
    const id = isRecord(row) ? (row['id'] ?? nameOf(row)) : undefined;
    const steps = this.#steps.get(id);
    if (steps && nameOf(row) === id) return this.#after(row, id, steps);
    return this.#mayBeSaid && this.#before.has(id) ? share(this.#before.get(id), row, new Map()) : row;
  }

  /** The rows that are added, as they are after all later steps. */
  added(): { readonly first: readonly unknown[]; readonly last: readonly unknown[] } {
    const [first, last]: [unknown[], unknown[]] = [[], []];
    for (const { turn, write, id, at } of this.#adding) {
      const later = (this.#steps.get(id) ?? []).filter((step) => step.turn > turn);
      const row = this.#after(rowOf(write), id, later);
      if (row === null) continue;
      if (at === 'start') first.unshift(row);
      else last.push(row);
    }
    return { first, last };
  }

  #add(id: string | null, step: Ordered): void {
    if (id === null) return;
    this.#push(id, step);
    // A parameter is a text, where the id of a row may be a number.
    if (String(Number(id)) === id) this.#push(Number(id), step);
  }

  #push(id: unknown, step: Ordered): void {
    const steps = this.#steps.get(id);
    if (steps) steps.push(step);
    else this.#steps.set(id, [step]);
  }

  #after(row: unknown, id: unknown, steps: readonly Ordered[]): unknown {
    let next = row;
    for (const { change, write } of steps) {
      if (next === null) return null;
      next = change(next, write);
    }
    if (next === null || (next === row && steps.length > 0)) return next;
    const shared = share(this.#before.get(id), next, new Map());
    this.made.set(id, shared);
    return shared;
  }
}

interface Adding {
  readonly turn: number;
  readonly write: OptimisticWrite;
  readonly id: unknown;
  readonly at: 'start' | 'end';
}

interface Ordered {
  readonly turn: number;
  readonly write: OptimisticWrite;
  readonly change: RowChange;
}

/** The row that a write adds. */
function rowOf({ data, temporaryId }: OptimisticWrite): unknown {
  const members = isPlainObject(data) ? data : {};
  return temporaryId === null ? { ...members } : { ...members, id: temporaryId };
}

/** Members that name a row, in this order. */
const NAMES = ['id', '_id', 'key'] as const;

function idIn({ params }: OptimisticWrite): string | null {
  for (const name of NAMES) {
    const id = own(params, name);
    if (typeof id === 'string') return id;
  }
  return null;
}
