import { inTime } from '../platform/waiting.ts';
import type { Clock } from '../platform/system.ts';
import type { FeedEntry, LoopState, LoopStore, NewEntry } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { VolatileLog } from './volatile-log.ts';

/** Milliseconds that a loop waits for one step of its storage: for its name and for what is stored under it. */
const STORAGE_DEADLINE = 3_000;

/** Milliseconds between two notes that say only that the loop has been answered. */
const MINUTE = 60_000;

/** Milliseconds between two notes that say only that the loop is in use, though nothing answers: see `isForgotten`. */
const DAY = 24 * 60 * MINUTE;

export interface DurableStatePorts {
  readonly clock: Clock;
  readonly store: LoopStore;
  /** The stored generation that this engine owns; null while it rests, and where it cannot be stored. */
  readonly generation: () => number | null;
  /** The loop's key in the store. Never rejects for want of a database. */
  readonly key: () => Promise<string>;
  /** A new name for a log. */
  readonly uuid: () => string;
}

export type StateFields = Omit<LoopState, 'key'>;

/** `unknown`: what is stored could not be read, now or at any time before. */
export type Renewal = 'same' | 'renewed' | 'unknown';

/**
 * What one loop remembers beyond the worker's death: its cursor, its failures and how long to wait, and the answers
 * that pages have not acknowledged. Nothing is written before the stored record has been read: that would replace it.
 */
export class DurableState {
  readonly #ports: DurableStatePorts;
  readonly #store: VolatileLog;
  #key: string | null = null;
  #record: StateFields;
  /** What was noted while nothing could be written. It is newer than what is stored. */
  #unwritten: Partial<StateFields> = {};
  /** The generation in which the record was read. It is written in the same. */
  #generation: number | null = null;
  /** True once what is stored has been read, in whatever generation. */
  #isKnown = false;
  /** True where the record may not be what is stored. */
  #isDoubtful = true;
  /** True where a note has read the record again, which the loop has not been told yet. */
  #isReadAgain = false;
  /** True once this engine has acted: an engine that rests must not remove what others have stored. */
  #hasActed = false;
  /** True where the log of the record is stored under its name. */
  #isLogStored = false;
  /** When it was last stored that the loop was answered. */
  #touchedAt = 0;
  /** When a change could not be stored last; null once one was. */
  #unsavedAt: number | null = null;
  /** When the record was last stored, as far as it says so; null while nothing is known to be stored. */
  #savedAt: number | null = null;
  /** How often what is stored was cleared away. */
  #clearings = 0;
  /** Settles with the answer that is being stored. */
  #appending: Promise<void> = Promise.resolve();

  constructor(ports: DurableStatePorts) {
    this.#ports = ports;
    this.#store = new VolatileLog(ports.store, ports.uuid);
    this.#record = blank(ports.uuid());
  }

  get record(): StateFields {
    return this.#record;
  }

  /** True once what is stored has been read. Until then the log of the record is a mere name. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** True where the record has to be read before it is used. */
  get isOutdated(): boolean {
    return this.#isDoubtful || this.isOverruled;
  }

  /** True where this engine has acted or rested since the record was read: another may have stored a newer one. */
  get isOverruled(): boolean {
    return this.#generation !== this.#ports.generation();
  }

  /** True once a minute while a change that could not be stored is still to be stored. */
  get isToSave(): boolean {
    return this.#unsavedAt !== null && this.#ports.clock.now() - this.#unsavedAt >= MINUTE;
  }

  /** Reads what is stored. Resolves with whether it is known now; if not, the record stays. Never rejects. */
  async recall(): Promise<boolean> {
    return (await this.#readAgain()) !== null;
  }

  /** Null if it could not be read; else true if what was not written before is written now. */
  async #readAgain(): Promise<boolean | null> {
    const generation = this.#ports.generation();
    const clearings = this.#clearings;
    const lookup = await this.#find();
    if (lookup.kind === 'unknown' || clearings !== this.#clearings) {
      this.#isDoubtful = true;
      return null;
    }
    const hasUnwritten = Object.keys(this.#unwritten).length > 0;
    this.#learn(lookup);
    this.#generation = generation;
    this.#isDoubtful = false;
    this.#isKnown = true;
    return hasUnwritten ? this.note({}) : true;
  }

  /** For an engine that acts: reads again what another one may have stored. */
  async renew(): Promise<Renewal> {
    this.#hasActed = true;
    const wasOutdated = this.isOutdated;
    if (wasOutdated && !(await this.recall())) return 'unknown';
    const renewal = this.#isReadAgain || wasOutdated ? 'renewed' : 'same';
    this.#isReadAgain = false;
    if (this.#savedAt !== null && this.#ports.clock.now() - this.#savedAt >= DAY) void this.note({});
    return renewal;
  }

  /** Stores a change. Resolves with whether it did; a change that it cannot store is kept in memory. */
  async note(change: Partial<StateFields>): Promise<boolean> {
    this.#record = { ...this.#record, ...change };
    const actsAnew = this.isOverruled && this.#ports.generation() !== null;
    // What could not be stored in time may be stored since, and is newer.
    if (!this.#isKnown || actsAnew || this.#isDoubtful) {
      this.#unwritten = { ...this.#unwritten, ...change };
      const isWritten = this.#isKnown ? await this.#readAgain() : null;
      if (this.#isKnown) this.#isReadAgain = isWritten !== null;
      return isWritten === true;
    }
    this.#touchedAt = this.#record.answeredAt;
    const isSaved = await this.#inTime(this.#save()).then(
      () => true,
      () => false,
    );
    this.#unsavedAt = isSaved ? null : this.#ports.clock.now();
    return isSaved;
  }

  /** An answer has come, whatever is in it. That alone is stored once a minute. */
  async touch(answeredAt: number): Promise<void> {
    if (answeredAt - this.#touchedAt >= MINUTE) await this.note({ answeredAt });
    else this.#record = { ...this.#record, answeredAt };
  }

  /** Stores an answer with the cursor after it. Rejects, changing nothing, if it cannot, or without a known record. */
  async append(change: Partial<StateFields>, entry: NewEntry): Promise<void> {
    if (!this.#isKnown) throw new Error('The stored state of the loop is not known');
    const changed = { ...change, last: entry.offset };
    const appended = this.#inTime(this.#append({ ...this.#record, ...changed }, entry));
    this.#appending = appended.catch(() => {});
    try {
      await appended;
    } catch (error) {
      // It may be stored all the same, or be stored later.
      this.#isDoubtful = true;
      throw error;
    }
    // Changes that were noted meanwhile stay.
    this.#record = { ...this.#record, ...changed };
    this.#isLogStored = true;
    this.#touchedAt = this.#record.answeredAt;
    this.#savedAt = this.#ports.clock.now();
  }

  /**
   * Stores the log under its name, even empty, so that pages find it again after the worker's death. Resolves with
   * whether it is stored; an engine that rests stores nothing. Never rejects.
   */
  async keepLog(): Promise<boolean> {
    if (this.isOutdated || this.#ports.generation() === null) return false;
    if (!this.#isLogStored) await this.note({});
    return this.#isLogStored;
  }

  /** Forgets all answers, and the cursor except for what is given. From here on it is another log. */
  async startAfresh(change: Partial<StateFields> = {}): Promise<void> {
    this.#isLogStored = false;
    await this.note({ cursor: null, ...change, log: this.#ports.uuid(), last: 0, acknowledged: 0 });
  }

  /** All that is stored is being cleared away: this state is stored anew with the next change, changed like this. */
  forgetStored(change: Partial<StateFields>): void {
    this.#clearings += 1;
    this.#isLogStored = false;
    this.#savedAt = null;
    this.#store.forgetStored();
    this.#record = { ...this.#record, ...change };
    this.#unwritten = { ...this.#unwritten, ...change };
  }

  /** The stored answers after offset `after`. Never rejects. */
  entries(after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>> {
    return this.#lookUp(async () => this.#store.entries(await this.#name(), after, limit));
  }

  /** Removes entries up to offset `upTo` after `patience` milliseconds; resolves with whether the storage knows. */
  async prune(upTo: number, patience: number): Promise<boolean> {
    if (!this.#hasActed || !this.#isKnown) return false;
    return this.#inTime(this.#prune(upTo, patience)).then(
      () => true,
      () => false,
    );
  }

  #find(): Promise<Lookup<LoopState>> {
    return this.#lookUp(async () => this.#store.find(await this.#name()));
  }

  #learn(lookup: Exclude<Lookup<LoopState>, { readonly kind: 'unknown' }>): void {
    switch (lookup.kind) {
      case 'found':
        this.#isLogStored = this.#unwritten.log === undefined;
        this.#record = { ...lookup.value, ...this.#unwritten };
        this.#touchedAt = lookup.value.answeredAt;
        this.#savedAt ??= Math.max(lookup.value.answeredAt, lookup.value.notBefore);
        break;
      case 'absent':
        this.#isLogStored = false;
        this.#savedAt = null;
        break;
      default:
        unreachable(lookup);
    }
    this.#unwritten = {};
  }

  async #save(): Promise<void> {
    const key = await this.#name();
    // Written at the same time, the earlier record would replace the one that goes with the answer.
    await this.#appending;
    const { log } = this.#record;
    this.#savedAt = this.#ports.clock.now();
    await this.#store.save({ ...this.#record, key }, this.#generation);
    this.#isLogStored ||= log === this.#record.log;
  }

  async #append(record: StateFields, entry: NewEntry): Promise<void> {
    const clearings = this.#clearings;
    const key = await this.#name();
    const isLate = clearings !== this.#clearings;
    await this.#store.append(
      { ...record, key },
      isLate ? { ...entry, isVolatile: true } : entry,
      this.#generation,
    );
  }

  async #prune(upTo: number, patience: number): Promise<void> {
    await this.#store.prune(await this.#name(), upTo, patience, this.#generation);
  }

  /** Loops never share a name, not even while theirs cannot be had. */
  async #name(): Promise<string> {
    this.#key ??= await this.#ports.key();
    return this.#key;
  }

  /** A storage that is late counts as unknown. */
  async #lookUp<T>(read: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
    try {
      return await this.#inTime(read());
    } catch (error) {
      return { kind: 'unknown', error };
    }
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const late = `The storage has not answered within ${STORAGE_DEADLINE} ms`;
    return inTime(this.#ports.clock, STORAGE_DEADLINE, late, work);
  }
}

function blank(log: string): StateFields {
  return {
    failures: 0,
    notBefore: 0,
    failure: null,
    cursor: null,
    log,
    last: 0,
    acknowledged: 0,
    answeredAt: 0,
  };
}
