import { share } from '../patch/heirs.ts';
import type { Pending } from './pending-writes.ts';
import { togetherOf } from './write.ts';
import type { Made, OptimisticStep, OptimisticWrite, Optimism, Together } from './write.ts';

/** A pending write, and how it changes the model of one action. */
export interface Change {
  readonly pending: Pending;
  readonly apply: Optimism;
  /** What the function gets of it. */
  readonly write: OptimisticWrite;
}

/** An answer. */
interface Base {
  readonly response: unknown;
  /** It contains all writes that had ended by then, in milliseconds of the epoch. */
  readonly asOf: number;
  /** When it came, in milliseconds of `performance.now`: nobody sets that back. */
  readonly at: number;
}

/** An answer of which it is not clear yet what it contains. */
interface Unclear {
  readonly base: Base;
  /** The writes that were under way as it came. */
  readonly of: Set<string>;
}

/**
 * For how many milliseconds one answer after the other is left out that was asked for before the end of a write which it may contain:
 * that write would show twice. Where one write follows the other, there may be no other answers for long.
 */
const LEFT_OUT = 3_000;

/**
 * What one reader shows: the last answer, and over it the writes that it does not contain. An answer that comes while a write is under
 * way may or may not contain it: it waits until that write has ended, or its attempt has.
 */
export class Layered {
  readonly #changes: () => readonly Change[];
  readonly #failed: (error: unknown) => void;
  readonly #asked: () => Readonly<Record<string, unknown>>;
  #base: Base | null = null;
  /** The oldest that waits, and the newest: by itself, each newer one could put off the others for ever. */
  #unclear: readonly Unclear[] = [];
  /** Since when one answer after the other is left out; null where none is. Times without an epoch are those of `performance.now`. */
  #leftOutSince: number | null = null;
  /** When an answer came last, or a write changed. */
  #activeAt = -Infinity;
  /** When the newest answer was asked for, whatever it was. */
  #askedAt = -Infinity;
  /** Its server may have another version than answers that were asked for before then. */
  #outdatedAt = -Infinity;
  #steps: readonly Step[] = [];
  #value: unknown;

  /**
   * `changes` returns the pending writes in their order. `failed` hears what their functions throw: those change nothing. `asked`
   * returns the parameters of the present answer.
   */
  constructor(
    changes: () => readonly Change[],
    failed: (error: unknown) => void,
    asked: () => Readonly<Record<string, unknown>>,
  ) {
    this.#asked = asked;
    this.#changes = changes;
    this.#failed = failed;
  }

  /** What is shown contains all writes that had ended by then, in milliseconds of the epoch; infinite where nothing is shown. */
  get asOf(): number {
    return this.#base?.asOf ?? Infinity;
  }

  /** True where a write has changed what its server has, or may have, and nothing that was asked for since then has been answered. */
  get isBehind(): boolean {
    const askedAt = this.#askedAt;
    return (
      this.#base !== null && (this.#outdatedAt > askedAt || doneSince(askedAt, this.#changes()).length > 0)
    );
  }

  get value(): unknown {
    return this.#value;
  }

  reset(): void {
    this.#base = null;
    this.#unclear = [];
    this.#leftOutSince = null;
    this.#askedAt = this.#outdatedAt = -Infinity;
    this.#steps = [];
    this.#value = undefined;
  }

  /** An answer without a body, which changes nothing. Returns the time up to which it contains what has ended. */
  passOver(asOf: number): number {
    const now = Date.now();
    // An end in the future means that the clock was set back since.
    if (this.#outdatedAt > now) this.#outdatedAt = -Infinity;
    const ends = doneSince(now, this.#changes()).map(({ pending }) => pending.endedAt);
    const since = Math.max(asOf, ...ends);
    this.#askedAt = Math.max(this.#askedAt, since);
    return since;
  }

  /** A write is shown no more that was sent, at that time in milliseconds of the epoch. */
  outdate(at: number): void {
    this.#outdatedAt = Math.max(this.#outdatedAt, at);
  }

  /** `asOf`: when it was asked for, in milliseconds of the epoch. */
  take(response: unknown, asOf: number): void {
    const changes = this.#changes();
    const base = { response, asOf: this.passOver(asOf), at: performance.now() };
    const of = new Set(changes.flatMap(({ pending }) => (pending.isUnderWay ? pending.id : [])));
    const first = this.#unclear.slice(0, 1);
    if (this.#base) this.#unclear = [...first, { base, of }];
    // Something is better than nothing.
    else this.#base = base;
    this.#settle(changes);
    this.#make(changes);
  }

  /** Pending writes have changed. */
  refresh(): void {
    if (!this.#base) return;
    const changes = this.#changes();
    this.#settle(changes);
    this.#make(changes);
  }

  /** Goes on with the newest answer of which it is clear what it contains. */
  #settle(changes: readonly Change[]): void {
    this.#noteTime();
    if (this.#unclear.length === 0) return;
    const underWay = new Set(changes.flatMap(({ pending }) => (pending.isUnderWay ? pending.id : [])));
    for (const { of } of this.#unclear) for (const id of of) if (!underWay.has(id)) of.delete(id);
    const clear = this.#unclear.findLastIndex(
      ({ base, of }) => of.size === 0 && this.#isUsable(base, changes),
    );
    const next = this.#unclear[clear];
    // An answer that was left out is never shown: the next one takes its place.
    this.#unclear = this.#unclear.filter(({ of }, index) => index > clear && of.size > 0);
    if (!next) return;
    this.#base = next.base;
    this.#leftOutSince = null;
  }

  /** False where it may contain a write that is done, and which would show twice then. */
  #isUsable({ asOf, at }: Base, changes: readonly Change[]): boolean {
    const isLeftOut = doneSince(asOf, changes).some(
      ({ apply, write }) => !togetherOf(apply)?.isHarmless(write),
    );
    if (!isLeftOut) return true;
    // It may have come long before, and have waited for the end of an attempt.
    this.#leftOutSince ??= performance.now();
    return at - this.#leftOutSince >= LEFT_OUT;
  }

  /** Writes that follow each other do so without a long pause. */
  #noteTime(): void {
    const now = performance.now();
    if (now - this.#activeAt > LEFT_OUT) this.#leftOutSince = null;
    this.#activeAt = now;
  }

  #make(changes: readonly Change[]): void {
    const base = this.#base;
    if (!base) return;
    const missing = changes.filter(({ pending }) => pending.endedAt > base.asOf);
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
    const made: Made = before?.made ?? { rows: [] };
    return { group, of: model, after: this.#applied(group, model, made), made };
  }

  #applied({ all, steps }: Group, model: unknown, made: Made): unknown {
    try {
      if (all) return all(model, steps, made);
      return steps.reduce((before, { apply, write }) => apply(before, write, this.#asked()), model);
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
  readonly all: Together['apply'] | undefined;
  readonly steps: OptimisticStep[];
}

function groupsOf(changes: readonly Change[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { apply, write } of changes) {
    const step = { apply, write };
    const all = togetherOf(apply)?.apply;
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

/** Those that were done after that time, in milliseconds of the epoch. */
function doneSince(time: number, changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ pending: { endedAt } }) => endedAt > time && endedAt < Infinity);
}
