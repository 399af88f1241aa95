import { nameOf } from './node.ts';

/**
 * Which old row a new one was before: the one of the same name that is gone, rather the one in whose place it stands, or
 * without a name the one in that place. Each old row is one new one at most, so that no part of it is in two.
 */
export class Predecessors {
  readonly #list: readonly unknown[];
  readonly #runs: readonly number[];
  /** Made when it is first needed. */
  #gone: ReadonlyMap<unknown, unknown> | null = null;
  readonly #taken = new Set<unknown>();

  constructor(list: readonly unknown[], runs: readonly number[]) {
    this.#list = list;
    this.#runs = runs;
  }

  /** What row `row` was, the one at `place` in the run at `index` of `runs`. */
  of(row: unknown, index: number, place: number): unknown {
    const name = nameOf(row);
    const inPlace = this.#inPlace(index, place);
    const olds = nameOf(inPlace) === name ? [inPlace] : [];
    if (name !== undefined) olds.push((this.#gone ??= this.#byName()).get(name));
    const old = olds.find((each) => !this.#taken.has(each));
    this.#taken.add(old);
    return old;
  }

  /** Where as many rows went between two runs as came. */
  #inPlace(index: number, place: number): unknown {
    const runs = this.#runs;
    const from = index === 0 ? 0 : (runs[index - 2] ?? 0) + (runs[index - 1] ?? 0);
    const to = runs[index + 2] ?? this.#list.length;
    return to - from === runs[index + 1] ? this.#list[from + place] : undefined;
  }

  /** The rows between the runs that stay, which may have moved. */
  #byName(): ReadonlyMap<unknown, unknown> {
    const gone = new Map<unknown, unknown>();
    let end = 0;
    for (const [from, to] of [...this.#stays(), [this.#list.length, 0] as const]) {
      for (const row of this.#list.slice(end, from)) gone.set(nameOf(row), row);
      end = Math.max(end, to);
    }
    return gone;
  }

  /** Where the runs of old rows begin and end, in the order of the old list. */
  #stays(): readonly (readonly [from: number, to: number])[] {
    const stays: (readonly [number, number])[] = [];
    for (let index = 0; index < this.#runs.length; index += 2) {
      const [from = 0, count = 0] = [this.#runs[index], this.#runs[index + 1]];
      if (from >= 0) stays.push([from, from + count]);
    }
    return stays.toSorted(([one], [other]) => one - other);
  }
}
