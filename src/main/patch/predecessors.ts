import { isNode, own } from './share.ts';

/** Members that name a row, in this order. */
const NAMES = ['id', '_id', 'key'] as const;

/** Which old row a new one was before: the one of the same name that is gone, else the one in whose place it stands. */
export class Predecessors {
  readonly #list: readonly unknown[];
  readonly #runs: readonly number[];
  /** Made when it is first needed. */
  #gone: ReadonlyMap<unknown, unknown> | null = null;

  constructor(list: readonly unknown[], runs: readonly number[]) {
    this.#list = list;
    this.#runs = runs;
  }

  /** What row `row` was, the one at `place` in the run at `index` of `runs`. */
  of(row: unknown, index: number, place: number): unknown {
    const name = nameOf(row);
    this.#gone ??= this.#byName();
    return (name === undefined ? undefined : this.#gone.get(name)) ?? this.#inPlace(index, place);
  }

  /** Where as many rows went between two runs as came. */
  #inPlace(index: number, place: number): unknown {
    const runs = this.#runs;
    const from = index === 0 ? 0 : (runs[index - 2] ?? 0) + (runs[index - 1] ?? 0);
    const to = runs[index + 2] ?? this.#list.length;
    return to - from === runs[index + 1] ? this.#list[from + place] : undefined;
  }

  #byName(): ReadonlyMap<unknown, unknown> {
    const stays = new Uint8Array(this.#list.length);
    for (let index = 0; index < this.#runs.length; index += 2) {
      const [from = 0, count = 0] = [this.#runs[index], this.#runs[index + 1]];
      if (from >= 0) stays.fill(1, from, from + count);
    }
    const gone = new Map<unknown, unknown>();
    for (let index = stays.indexOf(0); index >= 0; index = stays.indexOf(0, index + 1)) {
      gone.set(nameOf(this.#list[index]), this.#list[index]);
    }
    return gone;
  }
}

/** What names a row; undefined where nothing does. A number and its text are two names. */
export function nameOf(row: unknown): unknown {
  if (!isNode(row)) return undefined;
  for (const key of NAMES) {
    const name = own(row, key);
    if (typeof name === 'string' || typeof name === 'number') return name;
  }
  return undefined;
}
