/** Pairs of `from` and `count`: that many old members from index `from` or, if it is -1, that many new ones. */
export type Runs = readonly number[];

const NEW = -1;

export class RunsBuilder {
  readonly runs: number[] = [];

  /** Joins runs that follow each other. */
  copy(from: number, count: number): void {
    this.#add(from, count, (last, length) => last >= 0 && last + length === from);
  }

  add(count: number): void {
    this.#add(NEW, count, (last) => last === NEW);
  }

  #add(from: number, count: number, continues: (last: number, length: number) => boolean): void {
    if (count === 0) return;
    const { runs } = this;
    const [last, length = 0] = runs.slice(-2);
    if (last !== undefined && continues(last, length)) runs[runs.length - 1] = length + count;
    else runs.push(from, count);
  }
}

/** Every run with the index of its first member in the new container; `from` is null for new members. */
export function* eachRun(
  runs: Runs,
): Generator<{ readonly from: number | null; readonly count: number; readonly to: number }, void> {
  let to = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const [from = NEW, count = 0] = [runs[index], runs[index + 1]];
    yield { from: from === NEW ? null : from, count, to };
    to += count;
  }
}
