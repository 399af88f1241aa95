import { LIMITS } from '../../shared/limits.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import { isWaiting } from './pending-writes.ts';
import type { Pending, PendingWrites } from './pending-writes.ts';

/**
 * Asks the outbox for what waits, page after page; for these alone, where they are named. `isBrief`: without what they send. Nothing
 * is asked any more once nobody reads on.
 */
export type ListWrites = (
  entries: readonly string[] | null,
  isBrief: boolean,
) => AsyncIterable<readonly WriteReport[]>;

/** One reading of the outbox. `isAnswered` says whether its first page is there: another worker may know better by the next one. */
interface Load {
  isAnswered: boolean;
}

/**
 * Brings what waits in the outbox to who shows it: once in each life of a worker, since what the one before has told may have been
 * lost with it, again where it has got back what was lost on the disk, and whenever a message leaves out what a write sends.
 */
export class PendingLoader {
  readonly #pending: PendingWrites;
  readonly #list: ListWrites;
  /** What is loaded, or being loaded, belongs to one life of one worker, and to one user; null for nothing. */
  #loaded: Load | null = null;
  /** True until what waits has been read. */
  #isDue = false;
  /** How often this worker has got back what was lost. */
  #restored = 0;

  constructor(pending: PendingWrites, list: ListWrites) {
    this.#pending = pending;
    this.#list = list;
    pending.onWanted(() => this.load());
  }

  /** Another worker has answered. */
  renew(): void {
    this.#pending.doubt();
    this.#restored = 0;
    // A request without an answer is repeated by itself: this worker answers it.
    if (this.#loaded?.isAnswered === false) return;
    this.#loaded = null;
    if (this.#isDue || this.#pending.all.some(({ place }) => place !== null)) this.load();
  }

  /** Another user has come: what is on its way is of the one before. */
  empty(): void {
    this.#loaded = null;
    this.#isDue = false;
    this.#restored = 0;
  }

  /** The worker has got back what was lost, for so many times now: what was read before may lack it. */
  restored(times: number): void {
    if (times <= this.#restored) return;
    this.#restored = times;
    this.#loaded = null;
  }

  /** Something waits. */
  load(): void {
    if (this.#loaded || !this.#pending.isWanted) return;
    const load: Load = { isAnswered: false };
    this.#isDue = true;
    this.#loaded = load;
    void this.#load(load).catch(() => {
      if (this.#loaded !== load) return;
      this.#loaded = null;
      this.#pending.believe();
    });
  }

  hear(write: WriteReport): void {
    void this.#take([write], this.#loaded).catch(() => {});
  }

  async #load(load: Load): Promise<void> {
    const before = this.#pending.all;
    const all: WriteReport[] = [];
    for await (const page of this.#list(null, true)) {
      load.isAnswered = true;
      if (this.#loaded !== load) return;
      all.push(...page);
    }
    await this.#take(all, load);
    if (this.#loaded !== load) return;
    const there = new Set(all.map(({ entry }) => entry));
    const gone = before.filter(
      ({ id, place, endedAt }) => place !== null && endedAt === Infinity && !there.has(id),
    );
    await this.#end(gone, load);
    if (this.#loaded !== load) return;
    this.#isDue = false;
    this.#pending.believe();
    // The page may not have said yet for whom it is.
    if (all.length === 0) this.#loaded = null;
  }

  /** They do not wait any more. Those of which the outbox does not know when they have ended, have ended by now. */
  async #end(gone: readonly Pending[], load: Load): Promise<void> {
    const ids = gone.map(({ id }) => id);
    const known = await this.#listOf(ids, load);
    if (this.#loaded !== load) return;
    this.#pending.hear(known);
    const there = new Set(known.map(({ entry }) => entry));
    for (const { id } of gone)
      if (!there.has(id) && this.#pending.get(id)?.endedAt === Infinity) this.#pending.end(id, Date.now());
  }

  /** True where it is to be shown, and nobody here knows what it sends. */
  #lacks({ entry, key, isShown, state, body }: WriteReport): boolean {
    if (!isShown || body || !isWaiting(state)) return false;
    const known = this.#pending.get(entry)?.write;
    return !known || (known.entry !== null && known.entry.key !== key);
  }

  /** Tells what these say, and reads the data of those that lack them. One whose data are gone has ended since, which is told. */
  async #take(writes: readonly WriteReport[], load: Load | null): Promise<void> {
    const lacking = writes.filter((write) => this.#lacks(write));
    this.#pending.hear(writes.filter((write) => !this.#lacks(write)));
    this.#pending.note(lacking);
    if (lacking.length > 0 && !this.#pending.isWanted) {
      // All is read as soon as somebody begins to show what waits.
      this.#loaded = null;
      return;
    }
    const entries = lacking.map(({ entry }) => entry);
    const found = await this.#listOf(entries, load);
    if (this.#loaded === load) this.#pending.hear(found.filter((write) => !this.#lacks(write)));
  }

  /** Incomplete where another reading has begun. */
  async #listOf(entries: readonly string[], load: Load | null): Promise<WriteReport[]> {
    const found: WriteReport[] = [];
    for (let first = 0; first < entries.length; first += LIMITS.calls)
      for await (const page of this.#list(entries.slice(first, first + LIMITS.calls), false)) {
        if (this.#loaded !== load) return found;
        found.push(...page);
      }
    return found;
  }
}
