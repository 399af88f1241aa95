import { LIMITS } from '../../shared/limits.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import type { PendingWrites } from './pending-writes.ts';

/** Asks the outbox for what waits; for these alone, where they are named. `isBrief`: without what they send. */
export type ListWrites = (entries: readonly string[] | null, isBrief: boolean) => Promise<WriteReport[]>;

/**
 * Brings what waits in the outbox to who shows it: once in each life of a worker, since what the one before has told may have been
 * lost with it, and whenever a message leaves out what a write sends.
 */
export class PendingLoader {
  readonly #pending: PendingWrites;
  readonly #list: ListWrites;
  #isLoaded = false;
  #isLoading = false;

  constructor(pending: PendingWrites, list: ListWrites) {
    this.#pending = pending;
    this.#list = list;
    pending.onWanted(() => this.load());
  }

  /** Another worker has answered. */
  renew(): void {
    this.#isLoaded = false;
    if (this.#pending.all.some(({ place }) => place !== Infinity)) this.load();
  }

  /** Something waits. */
  load(): void {
    if (this.#isLoaded || this.#isLoading || !this.#pending.isWanted) return;
    this.#isLoaded = true;
    this.#isLoading = true;
    void this.#load()
      .catch(() => (this.#isLoaded = false))
      .finally(() => (this.#isLoading = false));
  }

  hear(write: WriteReport): void {
    if (this.#lacks(write)) void this.#fetch([write]).catch(() => {});
    else this.#pending.hear(write);
  }

  async #load(): Promise<void> {
    const before = this.#pending.all;
    const all = await this.#list(null, true);
    for (const write of all) if (!this.#lacks(write)) this.#pending.hear(write);
    await this.#fetch(all.filter((write) => this.#lacks(write)));
    const there = new Set(all.map(({ entry }) => entry));
    const gone = before.filter(
      ({ id, place, endedAt }) => place !== Infinity && endedAt === Infinity && !there.has(id),
    );
    for (const { id } of gone) this.#pending.end(id, Date.now());
  }

  /** True where somebody would show it who does not know what it sends. */
  #lacks({ entry, key, isShown, state, body }: WriteReport): boolean {
    if (!isShown || body || !this.#pending.isWanted || !isWaiting(state)) return false;
    const known = this.#pending.get(entry)?.write;
    return !known || (known.entry !== null && known.entry.key !== key);
  }

  async #fetch(writes: readonly WriteReport[]): Promise<void> {
    for (let first = 0; first < writes.length; first += LIMITS.calls) {
      const some = writes.slice(first, first + LIMITS.calls);
      const found = await this.#list(
        some.map(({ entry }) => entry),
        false,
      );
      for (const write of found) this.#pending.hear(write);
    }
  }
}

function isWaiting(state: WriteReport['state']): boolean {
  return state !== 'done' && state !== 'discarded' && state !== 'review';
}
