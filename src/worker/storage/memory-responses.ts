import { isSameRevision } from '../../shared/outcome.ts';
import { CAPACITY, fits, refuseOversized } from './capacity.ts';
import type { Usage } from './capacity.ts';
import { wholeOf } from './response-record.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

interface Entry {
  readonly record: ResponseRecord;
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

  async find(key: string): Promise<ResponseRecord | null> {
    return this.#entries.get(key)?.record ?? null;
  }

  async keys(): Promise<string[]> {
    return [...this.#entries.keys()];
  }

  /** A copy, since whoever gets it may transfer it to a page. */
  async body(record: ResponseRecord): Promise<ArrayBuffer | null> {
    const entry = this.#entries.get(record.key);
    return entry && isSameRevision(entry.record.revision, record.revision) ? entry.body.slice(0) : null;
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    const entry = this.#entries.get(key);
    const change = decide(entry?.record ?? null);
    if (change.kind === 'describe' && entry) this.#entries.set(key, { ...entry, record: change.stored });
    if (change.kind === 'replace') this.#replace(key, change.stored, change.body);
    if (change.kind === 'amend') this.#replace(key, change.stored, wholeOf(change));
    return change;
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

  #replace(key: string, record: ResponseRecord, body: ArrayBuffer): void {
    refuseOversized(record.size, this.#capacity);
    this.#drop(key);
    this.#entries.set(key, { record, body: body.slice(0) });
    this.#bytes += record.size;
    this.#evict(key);
  }

  /** Removes the least recently received answers until the rest fits. */
  #evict(spared: string): void {
    if (this.#fits()) return;
    const records = [...this.#entries.values()].map(({ record }) => record);
    for (const { key } of records.toSorted((a, b) => a.receivedAt - b.receivedAt)) {
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
