import { isSameRevision } from '../../shared/outcome.ts';
import { CAPACITY, fits, refuseOversized } from './eviction.ts';
import type { Usage } from './eviction.ts';
import { wholeOf } from './response-record.ts';
import type { Written } from './idb-responses.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Decide, RecordChange } from './response-record.ts';

interface Entry {
  readonly record: StoredResponse;
  readonly body: ArrayBuffer;
}

/** The stored answers of one partition where there is no database: they last as long as the worker. */
export class MemoryResponses {
  readonly #entries = new Map<string, Entry>();
  readonly #capacity: number;
  #bytes = 0;
  #salt: string | null = null;

  /** `capacity` in bytes. */
  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  async find(key: string): Promise<StoredResponse | null> {
    return this.#entries.get(key)?.record ?? null;
  }

  async keys(after: string | null = null, limit: number = Infinity): Promise<string[]> {
    const keys = [...this.#entries.keys()].toSorted();
    return keys.filter((key) => after === null || key > after).slice(0, limit);
  }

  /** A copy, since whoever gets it may transfer it to a page. */
  async body(record: StoredResponse): Promise<ArrayBuffer | null> {
    const entry = this.#entries.get(record.key);
    if (!entry || !isSameRevision(entry.record.revision, record.revision)) return null;
    this.#use(record.key, entry);
    return entry.body.slice(0);
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    const entry = this.#entries.get(key);
    const change = decide(entry?.record ?? null);
    if (change.kind === 'describe' && entry) this.#use(key, { ...entry, record: change.stored });
    if (change.kind === 'replace') this.#replace(key, change.stored, change.body);
    if (change.kind === 'amend') this.#replace(key, change.stored, wholeOf(change));
    if (change.kind === 'remove') this.#drop(key);
    return change;
  }

  async carryOut(batch: readonly Written[]): Promise<void> {
    for (const { key, orders } of batch) {
      for (const { decide } of orders) await this.update(key, decide);
    }
  }

  async remove(key: string): Promise<void> {
    this.#drop(key);
  }

  async clear(): Promise<void> {
    this.#entries.clear();
    this.#bytes = 0;
  }

  async salt(candidate: string): Promise<string> {
    this.#salt ??= candidate;
    return this.#salt;
  }

  async usage(): Promise<Usage> {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  #replace(key: string, record: StoredResponse, body: ArrayBuffer): void {
    refuseOversized(record.size, this.#capacity);
    this.#drop(key);
    this.#entries.set(key, { record, body: body.slice(0) });
    this.#bytes += record.size;
    this.#evict(key);
  }

  /** Those used last come last. */
  #use(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  /** Removes the least recently used answers until the rest fits. */
  #evict(spared: string): void {
    for (const key of this.#entries.keys()) {
      if (this.#fits()) return;
      if (key !== spared) this.#drop(key);
    }
  }

  #fits(): boolean {
    return fits({ entries: this.#entries.size, bytes: this.#bytes }, this.#capacity);
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.record.size;
  }
}
