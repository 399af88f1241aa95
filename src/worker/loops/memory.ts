import { inTime } from '../in-time.ts';
import type { Clock } from '../system.ts';
import type { FeedEntry, LoopRecord } from '../loop-record.ts';
import type { LoopStore } from './loop-store.ts';

/** Milliseconds that a loop waits for its storage; it then goes on without. */
const PATIENCE = 3_000;

/** Milliseconds between two notes of nothing but that the loop is in use. */
const MINUTE = 60_000;

export interface MemoryPorts {
  readonly clock: Clock;
  readonly store: LoopStore;
  /** The stored generation that is this engine's own; null while it rests, and where it cannot be stored. */
  readonly generation: () => number | null;
  /** The loop's key in the store. Never rejects for want of a database. */
  readonly key: () => Promise<string>;
  /** A new name for a log. */
  readonly uuid: () => string;
}

/** What a loop's record says but for the key that it has in the store. */
export type Remembered = Omit<LoopRecord, 'key'>;

/**
 * What one loop remembers beyond the worker's life: its place, its failures and how long it is to be patient, and the
 * answers that pages have not taken yet.
 */
export class Memory {
  readonly #ports: MemoryPorts;
  #key: string | null = null;
  #record: Remembered;
  /** The generation in which the record was read: what is written is written in that. */
  #generation: number | null = null;
  /** Whether the record may not be what is stored. */
  #isDoubtful = true;
  /** Whether this engine has acted: what others have stored is not for one that rests to remove. */
  #hasActed = false;
  /** When it was last stored that the loop is in use. */
  #touchedAt = 0;

  constructor(ports: MemoryPorts) {
    this.#ports = ports;
    this.#record = blank(ports.uuid());
  }

  get record(): Remembered {
    return this.#record;
  }

  /** Whether this engine has acted, or rested, since the record was read: another may have stored a newer one. */
  get isOutdated(): boolean {
    return this.#isDoubtful || this.#generation !== this.#ports.generation();
  }

  /** Finds what is stored. A storage that fails or takes too long leaves the loop with what it remembers itself. */
  async recall(): Promise<void> {
    this.#generation = this.#ports.generation();
    this.#isDoubtful = false;
    const found = await this.#inTime(this.#find()).catch(() => null);
    if (!found) return;
    this.#record = found;
    this.#touchedAt = found.answeredAt;
  }

  /** For an engine that acts: recalls what may have been stored by another one; tells whether it has had to. */
  async renew(): Promise<boolean> {
    this.#hasActed = true;
    if (!this.isOutdated) return false;
    await this.recall();
    return true;
  }

  /** Stores what has changed; what cannot be stored is remembered for this life of the worker. */
  async note(change: Partial<Remembered>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    this.#touchedAt = this.#record.answeredAt;
    await this.#inTime(this.#save()).catch(() => {});
  }

  /** An answer has come, whatever was in it. That alone is stored once a minute. */
  async touch(answeredAt: number): Promise<void> {
    if (answeredAt - this.#touchedAt >= MINUTE) await this.note({ answeredAt });
    else this.#record = { ...this.#record, answeredAt };
  }

  /** Stores an answer with the place after it; rejects, and nothing is changed, where it cannot be stored. */
  async append(change: Partial<Remembered>, entry: FeedEntry): Promise<void> {
    const record = { ...this.#record, ...change, last: entry.n };
    try {
      await this.#inTime(this.#append(record, entry));
    } catch (error) {
      // It may be stored all the same, or come to be.
      this.#isDoubtful = true;
      throw error;
    }
    this.#record = record;
    this.#touchedAt = record.answeredAt;
  }

  /** Forgets all answers, and the place but for what is given: what comes from here on is another log. */
  startAfresh(change: Partial<Remembered> = {}): Promise<void> {
    return this.note({ cursor: null, ...change, log: this.#ports.uuid(), last: 0, taken: 0 });
  }

  /** The stored answers after number `after`; none where the storage fails. */
  entries(after: number, limit: number): Promise<readonly FeedEntry[]> {
    return this.#inTime(this.#entries(after, limit)).catch(() => []);
  }

  /** Those up to number `upTo` go after so many milliseconds; tells whether the storage knows. */
  async prune(upTo: number, patience: number): Promise<boolean> {
    if (!this.#hasActed) return false;
    return this.#inTime(this.#prune(upTo, patience)).then(
      () => true,
      () => false,
    );
  }

  async #find(): Promise<LoopRecord | null> {
    return this.#ports.store.find(await this.#name());
  }

  async #save(): Promise<void> {
    const key = await this.#name();
    await this.#ports.store.save({ ...this.#record, key }, this.#generation);
  }

  async #append(record: Remembered, entry: FeedEntry): Promise<void> {
    const key = await this.#name();
    await this.#ports.store.append({ ...record, key }, entry, this.#generation);
  }

  async #entries(after: number, limit: number): Promise<readonly FeedEntry[]> {
    return this.#ports.store.entries(await this.#name(), after, limit);
  }

  async #prune(upTo: number, patience: number): Promise<void> {
    await this.#ports.store.prune(await this.#name(), upTo, patience, this.#generation);
  }

  /** Loops never share a name, not even while theirs is not to be had. */
  async #name(): Promise<string> {
    this.#key ??= await this.#ports.key();
    return this.#key;
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const late = `The storage has not answered within ${PATIENCE} ms`;
    return inTime(this.#ports.clock, PATIENCE, late, work);
  }
}

function blank(log: string): Remembered {
  return { failures: 0, notBefore: 0, failure: null, cursor: null, log, last: 0, taken: 0, answeredAt: 0 };
}
