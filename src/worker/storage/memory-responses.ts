import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { refuseOversized } from './eviction.ts';
import type { Usage } from './eviction.ts';
import { excessOf, METADATA, wholeOf } from './response-record.ts';
import type { Written } from './idb-responses.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Decide, RecordChange } from './response-record.ts';

interface Entry {
  readonly record: StoredResponse;
  readonly body: ArrayBuffer;
}

/** The stored answers of one partition if there is no database: they last as long as the worker. */
export class MemoryResponses {
  readonly #entries: RecentlyUsed<string, Entry>;
  readonly #capacity: number;
  #salt: string | null = null;

  /** `capacity` in bytes. */
  constructor(capacity: number = LIMITS.storedSize) {
    this.#capacity = capacity;
    this.#entries = new RecentlyUsed(capacity, ({ record }) => record.size + excessOf(record) + METADATA);
  }

  async find(key: string): Promise<StoredResponse | null> {
    return this.#entries.peek(key)?.record ?? null;
  }

  async keys(after: string | null = null, limit: number = Infinity): Promise<string[]> {
    const keys = this.#entries.keys().toSorted();
    return keys.filter((key) => after === null || key > after).slice(0, limit);
  }

  /** A copy, since the caller may transfer it to a page. */
  async body(record: StoredResponse): Promise<ArrayBuffer | null> {
    const entry = this.#entries.peek(record.key);
    if (!entry || !isSameRevision(entry.record.revision, record.revision)) return null;
    this.#entries.get(record.key);
    return entry.body.slice(0);
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    const entry = this.#entries.peek(key);
    const change = decide(entry?.record ?? null);
    if (change.kind === 'describe' && entry) this.#entries.set(key, { ...entry, record: change.stored });
    if (change.kind === 'replace') this.#replace(key, change.stored, change.body);
    if (change.kind === 'amend') this.#replace(key, change.stored, wholeOf(change));
    if (change.kind === 'remove') this.#entries.delete(key);
    return change;
  }

  async carryOut(batch: readonly Written[]): Promise<void> {
    for (const { key, orders } of batch) {
      for (const { decide } of orders) await this.update(key, decide);
    }
  }

  async remove(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async clear(): Promise<void> {
    this.#entries.clear();
  }

  async salt(candidate: string): Promise<string> {
    this.#salt ??= candidate;
    return this.#salt;
  }

  async usage(): Promise<Usage> {
    const { size, weight } = this.#entries;
    return { entries: size, bytes: weight - size * METADATA };
  }

  #replace(key: string, record: StoredResponse, body: ArrayBuffer): void {
    refuseOversized(record.size, this.#capacity);
    this.#entries.set(key, { record, body: body.slice(0) });
  }
}
