/** When clients got their first answer after the recovery. */
export class Freshness {
  /** In the order in which they were noted. */
  readonly #times: Float64Array;
  #expected = 0;
  #count = 0;

  /** Of so many clients at the most. */
  constructor(clients: number) {
    this.#times = new Float64Array(clients).fill(Infinity);
  }

  /** One more client, or so many, wait for an answer. */
  expect(clients = 1): void {
    this.#expected += clients;
  }

  /** To be called once for each client. */
  note(at: number): void {
    this.#times[this.#count] = at;
    this.#count += 1;
  }

  /**
   * The instant by which the given share of those who are expected had their answer; Infinity where they never had, NaN
   * where nobody is expected.
   */
  reachedBy(share: number): number {
    return percentile(this.#times.subarray(0, this.#expected), share);
  }
}

/** The smallest of the values that at least the given share of them does not exceed. */
export function percentile(values: Float64Array, share: number): number {
  const sorted = values.toSorted();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
