import { share } from '../patch/heirs.ts';
import type { Pending } from './pending-writes.ts';
import { togetherOf } from './write.ts';
import type { Made, OptimisticStep, Optimism, Together } from './write.ts';

/** A pending write, and how it changes the model of one action. */
export interface Change {
  readonly pending: Pending;
  readonly apply: Optimism;
}

/** An answer, with the time since when writes may be missing in it, in milliseconds of the epoch. */
interface Base {
  readonly response: unknown;
  readonly asOf: number;
}

/**
 * What one reader shows: the last answer, and over it the writes that it does not contain. While a write is under way, an answer may
 * or may not contain it; that answer waits until this is known.
 */
export class Layered {
  readonly #changes: () => readonly Change[];
  readonly #failed: (error: unknown) => void;
  #base: Base | null = null;
  /** The newest answer, as long as it is not clear what it contains. */
  #waiting: Base | null = null;
  #steps: Step[] = [];
  #value: unknown;

  /** `changes` returns the pending writes in their order. `failed` hears what their functions throw: those change nothing. */
  constructor(changes: () => readonly Change[], failed: (error: unknown) => void) {
    this.#changes = changes;
    this.#failed = failed;
  }

  /** Since when writes may be missing in what is shown; infinite where nothing is shown. */
  get asOf(): number {
    return this.#base?.asOf ?? Infinity;
  }

  /** True where a write is done that no answer contains yet. */
  get isBehind(): boolean {
    const newest = this.#waiting ?? this.#base;
    return (
      newest !== null && this.#changes().some(({ pending }) => isDone(pending) && !isIn(pending, newest))
    );
  }

  get value(): unknown {
    return this.#value;
  }

  reset(): void {
    this.#base = null;
    this.#waiting = null;
    this.#steps = [];
    this.#value = undefined;
  }

  take(response: unknown, asOf: number): void {
    const base = { response, asOf };
    const changes = this.#changes();
    // Something is better than nothing.
    this.#waiting = this.#base && changes.some(({ pending }) => isUnclear(pending, base)) ? base : null;
    if (!this.#waiting) this.#base = base;
    this.#make(changes);
  }

  /** Pending writes have changed. */
  refresh(): void {
    if (!this.#base) return;
    const changes = this.#changes();
    const waiting = this.#waiting;
    if (waiting && !changes.some(({ pending }) => isUnclear(pending, waiting))) {
      this.#base = waiting;
      this.#waiting = null;
    }
    this.#make(changes);
  }

  #make(changes: readonly Change[]): void {
    const base = this.#base;
    if (!base) return;
    const missing = changes.filter(({ pending }) => !isIn(pending, base));
    const groups = missing.length === 0 ? NOTHING : groupsOf(missing);
    const befores = this.#steps;
    if (groups.length === 0 && befores.length === 0) {
      this.#value = base.response;
      return;
    }
    const steps: Step[] = [];
    let model = base.response;
    for (const [index, group] of groups.entries()) {
      const step = this.#step(befores[index], group, model);
      steps.push(step);
      model = step.after;
    }
    this.#steps = steps;
    // Rows that are changed together share their equal parts already.
    const isShared =
      befores.length === 1 && steps.length === 1 && [...befores, ...steps].every(({ group }) => group.all);
    this.#value = isShared
      ? sameList(this.#value, model)
      : sameList(model, share(this.#value, model, new Map()));
  }

  #step(before: Step | undefined, group: Group, model: unknown): Step {
    if (before && before.of === model && isSameGroup(before.group, group)) return before;
    const made: Made = before?.made ?? new Map();
    return { group, of: model, after: this.#applied(group, model, made), made };
  }

  #applied({ all, steps }: Group, model: unknown, made: Made): unknown {
    try {
      if (all) return all(model, steps, made);
      return steps.reduce((before, { apply, write }) => apply(before, write), model);
    } catch (error) {
      this.#failed(error);
      return model;
    }
  }
}

/** A group that was applied, with what it made of what. */
interface Step {
  readonly group: Group;
  readonly of: unknown;
  readonly after: unknown;
  readonly made: Made;
}

const NOTHING: readonly Group[] = [];

/** Functions that are applied together, one after the other: one alone where nothing does the same as several. */
interface Group {
  readonly all: Together | undefined;
  readonly steps: OptimisticStep[];
}

function groupsOf(changes: readonly Change[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { pending, apply } of changes) {
    const step = { apply, write: pending.write };
    const all = togetherOf(apply);
    const last = groups.at(-1);
    if (all && last?.all === all) last.steps.push(step);
    else groups.push({ all, steps: [step] });
  }
  return groups;
}

function isSameGroup({ steps }: Group, other: Group): boolean {
  const isSame = ({ apply, write }: OptimisticStep, index: number): boolean =>
    write === other.steps[index]?.write && apply === other.steps[index]?.apply;
  return steps.length === other.steps.length && steps.every(isSame);
}

/** The list of before where its rows are the same. */
function sameList(before: unknown, after: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return after;
  return after.every((row, index) => Object.is(row, before[index])) ? before : after;
}

function isDone({ endedAt }: Pending): boolean {
  return endedAt !== Infinity;
}

function isIn({ endedAt }: Pending, { asOf }: Base): boolean {
  return endedAt <= asOf;
}

/** True where nobody knows whether the answer contains it, or where one that contains it is on its way. */
function isUnclear(pending: Pending, base: Base): boolean {
  return pending.isUnderWay || (isDone(pending) && !isIn(pending, base));
}
