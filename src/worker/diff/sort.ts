/** Comparisons between two pauses. */
const STRETCH = 1_024;

/**
 * The places of rows in the order that `compare` puts them in: those that it calls equal stay in the order that they have,
 * as in `Array.prototype.sort`, which cannot pause. Merges ever longer runs.
 */
export function* sort<Row>(
  rows: readonly Row[],
  compare: (one: Row, other: Row) => number,
): Generator<void, Uint32Array> {
  const { length } = rows;
  let from = Uint32Array.from({ length }, (_, at) => at);
  let to = new Uint32Array(length);
  let left = STRETCH;
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(start + 2 * run, length);
      let [one, other] = [start, middle];
      for (let at = start; at < end; at += 1) {
        const takesOther = one >= middle || (other < end && isAfter(rows, from, one, other, compare));
        to[at] = from[takesOther ? other : one] ?? 0;
        if (takesOther) other += 1;
        else one += 1;
        left -= 1;
        if (left > 0) continue;
        left = STRETCH;
        yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function isAfter<Row>(
  rows: readonly Row[],
  places: Uint32Array,
  one: number,
  other: number,
  compare: (one: Row, other: Row) => number,
): boolean {
  const [first, second] = [rows[places[one] ?? 0], rows[places[other] ?? 0]];
  return first !== undefined && second !== undefined && compare(first, second) > 0;
}
