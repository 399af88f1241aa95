/** Bytes of snapshots a millisecond that each origin may have compacted, on average: 1 MB/s. */
const RATE = 1_000;

interface Debt {
  readonly bytes: number;
  /** Milliseconds of the epoch. */
  readonly at: number;
}

/**
 * What compaction may write: a token bucket for each origin that holds one snapshot, whatever its size. Whoever has
 * written owes its bytes, and writes no more until time has paid them. It is not stored: a worker begins without debts.
 */
export class Allowance {
  readonly #debts = new Map<string, Debt>();

  isFree(origin: string, now: number): boolean {
    return this.#owed(origin, now) === 0;
  }

  spend(origin: string, bytes: number, now: number): void {
    this.#debts.set(origin, { bytes: this.#owed(origin, now) + bytes, at: now });
    for (const each of this.#debts.keys()) if (this.isFree(each, now)) this.#debts.delete(each);
  }

  /** A clock that was set back forgives: nobody knows how long it would take. */
  #owed(origin: string, now: number): number {
    const debt = this.#debts.get(origin);
    return debt && now >= debt.at ? Math.max(0, debt.bytes - (now - debt.at) * RATE) : 0;
  }
}
