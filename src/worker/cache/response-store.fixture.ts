import type { Change, ResponseStore, StoredResponse } from './response-store.ts';

/** A store that keeps its answers in the open, counts what is written, and can be broken. */
export class OpenStore implements ResponseStore {
  readonly records: Map<string, StoredResponse> = new Map();
  readonly bodies: Map<string, ArrayBuffer> = new Map();
  /** Kinds of the changes that were carried out. */
  readonly changes: string[] = [];
  broken = false;
  /** Whether only storing fails, as on a full disk. */
  full = false;
  knownSalt: string | null = null;

  async find(_partition: string, key: string): Promise<StoredResponse | null> {
    this.#check();
    return this.records.get(key) ?? null;
  }

  async keys(): Promise<string[]> {
    this.#check();
    return [...this.records.keys()];
  }

  async body(_partition: string, stored: StoredResponse): Promise<ArrayBuffer | null> {
    this.#check();
    return this.bodies.get(stored.key) ?? null;
  }

  async update(
    _partition: string,
    key: string,
    decide: (current: StoredResponse | null) => Change,
  ): Promise<Change> {
    this.#check();
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    const change = decide(this.records.get(key) ?? null);
    this.changes.push(change.kind);
    if (change.kind !== 'keep') this.records.set(key, change.stored);
    if (change.kind === 'replace') this.bodies.set(key, change.body);
    if (change.kind === 'amend') this.bodies.set(key, wholeOf(change.body));
    return change;
  }

  async remove(_partition: string, key: string): Promise<void> {
    this.#check();
    this.records.delete(key);
    this.bodies.delete(key);
  }

  async clear(): Promise<void> {
    this.#check();
    this.records.clear();
    this.bodies.clear();
  }

  async salt(_partition: string, candidate: string): Promise<string> {
    this.#check();
    this.knownSalt ??= candidate;
    return this.knownSalt;
  }

  async inspect(): Promise<{ mode: 'memory'; entries: number; bytes: number }> {
    return { mode: 'memory', entries: this.records.size, bytes: 0 };
  }

  #check(): void {
    if (this.broken) throw new Error('The storage is broken');
  }
}

function wholeOf(body: ArrayBuffer | (() => ArrayBuffer)): ArrayBuffer {
  return typeof body === 'function' ? body() : body;
}
