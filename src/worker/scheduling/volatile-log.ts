import { LIMITS } from '../../shared/limits.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import type { FeedEntry, LoopState, LoopStore, NewEntry } from '../contracts/loop-store.ts';

interface Volatile {
  /** The log that goes on in memory. */
  readonly log: string;
  readonly entries: FeedEntry[];
  /** What the next worker instance finds: the cursor before all that is not stored, and an empty log. */
  readonly kept: Pick<LoopState, 'cursor' | 'log' | 'last' | 'acknowledged'>;
}

/**
 * The store of one loop, whose log goes on in memory from the first answer that must not be stored. From then on the
 * stored cursor stays: the next worker instance asks for those answers again. It finds another log, so that pages which
 * were told some of them learn of the gap. Within the same bounds as a stored log.
 */
export class VolatileLog implements LoopStore {
  readonly #store: LoopStore;
  /** A new name for a log. */
  readonly #uuid: () => string;
  /** What is stored, as far as this instance has read or written it. */
  #stored: LoopState | null = null;
  #volatile: Volatile | null = null;

  constructor(store: LoopStore, uuid: () => string) {
    this.#store = store;
    this.#uuid = uuid;
  }

  /** Whoever reads again goes by what is stored: another engine may have gone on from there. */
  async find(key: string): Promise<Lookup<LoopState>> {
    const found = await this.#store.find(key);
    if (found.kind === 'unknown') return found;
    this.#volatile = null;
    this.#stored = foundIn(found);
    return found;
  }

  async save(record: LoopState, generation: number | null): Promise<void> {
    if (record.log !== this.#volatile?.log) this.#volatile = null;
    const stored = this.#volatile ? { ...record, ...this.#volatile.kept } : record;
    await this.#store.save(stored, generation);
    this.#stored = stored;
  }

  async append(record: LoopState, entry: NewEntry, generation: number | null): Promise<number> {
    if (record.log !== this.#volatile?.log) this.#volatile = null;
    if (this.#volatile === null && !entry.isVolatile) {
      const first = await this.#store.append(record, entry, generation);
      this.#stored = record;
      return first;
    }
    this.#volatile ??= await this.#begin(record, generation);
    const { entries } = this.#volatile;
    // A copy, since the outcome goes on to pages and its body may be transferred.
    entries.push(structuredClone(entry));
    while (entries.length > 1 && isTooMuch(entries)) entries.shift();
    return entries[0]?.offset ?? entry.offset;
  }

  async entries(key: string, after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>> {
    if (!this.#volatile) return this.#store.entries(key, after, limit);
    const value = this.#volatile.entries.filter(({ offset }) => offset > after).slice(0, limit);
    return value.length > 0 ? { kind: 'found', value: structuredClone(value) } : { kind: 'absent' };
  }

  /** What was stored has been cleared away; what is in memory stays. */
  forgetStored(): void {
    this.#stored = null;
    if (this.#volatile)
      this.#volatile = { ...this.#volatile, kept: { ...this.#volatile.kept, cursor: null } };
  }

  async prune(key: string, upTo: number, patience: number, generation: number | null): Promise<void> {
    if (!this.#volatile) return this.#store.prune(key, upTo, patience, generation);
    const { entries } = this.#volatile;
    while (entries[0] && entries[0].offset <= upTo) entries.shift();
  }

  /** Takes the entries that pages still need along. */
  async #begin({ log, ...record }: LoopState, generation: number | null): Promise<Volatile> {
    const before = this.#stored?.log === log ? await this.#entriesOf(record.key) : [];
    const cursor = this.#stored?.cursor ?? null;
    const kept = { cursor, log: this.#uuid(), last: 0, acknowledged: 0 };
    const stored = { ...record, ...kept };
    await this.#store.save(stored, generation);
    this.#stored = stored;
    return { log, entries: [...before], kept };
  }

  async #entriesOf(key: string): Promise<readonly FeedEntry[]> {
    const entries = await this.#store.entries(key, 0, LIMITS.feedEntries);
    if (entries.kind === 'unknown') throw entries.error;
    return foundIn(entries) ?? [];
  }
}

function isTooMuch(entries: readonly FeedEntry[]): boolean {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return entries.length > LIMITS.feedEntries || bytes > LIMITS.feedBytes;
}
