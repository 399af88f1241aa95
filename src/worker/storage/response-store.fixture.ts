import { isSameRevision } from '../../shared/outcome.ts';
import { lookUp, lookUpAll } from '../contracts/response-store.ts';
import type { Lookup, Order, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import { wholeOf } from './response-record.ts';
import type { RecordChange } from './response-record.ts';
import { WriteBehind } from './write-behind.ts';
import type { Waiting } from './waiting.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';

/** A store that keeps its answers in the open, counts what is written, and can be broken. */
export class OpenStore implements ResponseStore {
  readonly records: Map<string, StoredResponse>;
  readonly bodies: Map<string, ArrayBuffer>;
  /** Kinds of the changes that were carried out. */
  readonly changes: string[];
  broken = false;
  readonly hidesUrls: boolean = false;
  /** True if only storing fails, as on a full disk. */
  full = false;
  knownSalt: string | null = null;
  /** Resolves when a transaction may be carried out. */
  gate: () => Promise<unknown> = async () => {};
  /** Reads that were not answered from what waits. */
  looked = 0;
  readonly behind: WriteBehind = new WriteBehind(
    { clock: new VirtualClock(), pause: async () => {} },
    async () => this,
    async () => {},
  );

  /** Shares the maps of another store, as a second engine does, or has new ones. */
  constructor({ records = new Map(), bodies = new Map(), changes = [] }: Partial<OpenStore> = {}) {
    this.records = records;
    this.bodies = bodies;
    this.changes = changes;
  }

  async find(key: string): Promise<Lookup<StoredResponse>> {
    const waiting = this.behind.find(key);
    if (waiting) return waiting;
    this.looked += 1;
    return lookUp(async () => {
      this.#check();
      return this.records.get(key) ?? null;
    });
  }

  keys(after: string | null, limit: number): Promise<Lookup<readonly string[]>> {
    const read = async (): Promise<string[]> => {
      this.#check();
      const keys = [...this.records.keys()].toSorted();
      return keys.filter((key) => after === null || key > after).slice(0, limit);
    };
    return lookUpAll(() => this.behind.keys(after, limit, read));
  }

  async body(stored: StoredResponse): Promise<Lookup<ArrayBuffer>> {
    const value = this.behind.body(stored);
    if (value) return { kind: 'found', value };
    return lookUp(async () => {
      this.#check();
      const current = this.records.get(stored.key);
      const isThere = current && isSameRevision(current.revision, stored.revision);
      return isThere ? (this.bodies.get(stored.key)?.slice(0) ?? null) : null;
    });
  }

  write(order: Order): Promise<boolean> {
    return this.behind.add(order);
  }

  settled(): Promise<void> {
    return this.behind.settled();
  }

  async carryOut(batch: readonly Waiting[]): Promise<void> {
    await this.gate();
    this.#check();
    if (this.full && batch.some(({ stored }) => stored)) throw new DOMException('full', 'QuotaExceededError');
    for (const { key, orders } of batch) {
      for (const { decide } of orders) this.#apply(key, decide(this.records.get(key) ?? null));
    }
  }

  async clear(): Promise<void> {
    await this.behind.clear(async () => {
      this.#check();
      this.records.clear();
      this.bodies.clear();
    });
  }

  async salt(candidate: string): Promise<string> {
    this.#check();
    this.knownSalt ??= candidate;
    return this.knownSalt;
  }

  nameOf(url: string): string {
    return url;
  }

  async inspect(): Promise<{ mode: 'memory'; entries: number; bytes: number }> {
    return { mode: 'memory', entries: this.records.size, bytes: 0 };
  }

  #apply(key: string, change: RecordChange): void {
    this.changes.push(change.kind);
    if (change.kind === 'remove') {
      this.records.delete(key);
      this.bodies.delete(key);
    }
    if (change.kind === 'keep' || change.kind === 'remove') return;
    this.records.set(key, change.stored);
    if (change.kind === 'replace') this.bodies.set(key, change.body);
    if (change.kind === 'amend') this.bodies.set(key, wholeOf(change));
  }

  #check(): void {
    if (this.broken) throw new Error('The storage is broken');
  }
}
