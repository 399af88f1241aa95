import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import type { Clock } from '../platform/system.ts';
import { Deferred } from '../platform/waiting.ts';
import { lean, withoutAnswer } from './write.ts';

/** Milliseconds until what could not be stored is stored once more: doubled each time, up to the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8_000;

/** Most changes of one transaction, which must end in time. */
const MOST = 128;

export interface LedgerPorts {
  readonly clock: Clock;
  readonly store: Pick<OutboxStore, 'change'>;
  /** Somebody has ended it, and this engine has not heard of that. */
  readonly gone?: (write: WaitingWrite) => void;
  /** True for the entry of a write that is left out, though it be stored. */
  readonly isDropped?: (entry: string) => boolean;
}

/** The next life reads what is stored: nothing more of this one is. */
export class LedgerClosed extends Error {
  override readonly name = 'LedgerClosed';
}

/**
 * The writes that wait, as the acting engine knows them, and their way to the disk: what changes while a transaction is out is
 * stored together by the next one. Each is tried until it is stored, or until the signal aborts.
 */
export class Ledger {
  readonly #ports: LedgerPorts;
  readonly #signal: AbortSignal;
  #writes: Map<number, WaitingWrite>;
  /** The highest place so far. */
  #highest = 0;
  /** True where they are in the order of their places. */
  #isInOrder = true;
  /** The names of those that have ended or were dropped lately, by their places: what was read before knows them still. */
  readonly #gone = new RecentlyUsed<number, string>(LIMITS.waitingWrites);
  /** The last change of each write that is not on the disk yet. */
  readonly #last = new Map<number, Change>();
  #changes: Change[] = [];
  #isStoring = false;

  constructor(ports: LedgerPorts, writes: readonly WaitingWrite[], signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
    this.#writes = new Map();
    for (const each of writes) this.learn(each);
  }

  /** In the order of their places. */
  get all(): readonly WaitingWrite[] {
    // What another engine has added is learned of late, and what was lost comes back late: thousands at once.
    if (!this.#isInOrder) this.#writes = new Map([...this.#writes].toSorted(([one], [other]) => one - other));
    this.#isInOrder = true;
    return [...this.#writes.values()];
  }

  get(place: number): WaitingWrite | null {
    return this.#writes.get(place) ?? null;
  }

  /** It is stored like this. What is known of a later decision stays. */
  learn(write: WaitingWrite): void {
    const { place, entry, version } = write;
    const known = this.#writes.get(place);
    if (this.#ports.isDropped?.(entry)) return;
    // A database that was made anew gives places once more.
    if (this.#gone.peek(place) === entry || (known?.entry === entry && known.version >= version)) return;
    this.#note(write);
  }

  /** It is gone, unless it has changed since. */
  drop(write: WaitingWrite): void {
    if (this.#writes.get(write.place) === write) this.#forget(write);
  }

  #forget({ place, entry }: WaitingWrite): void {
    this.#writes.delete(place);
    this.#gone.set(place, entry);
  }

  /**
   * Resolves once it is on the disk, or what it was changed to since: with true, or with false where somebody has decided about it
   * meanwhile, which is known then.
   * @throws StaleGeneration where another engine acts; LedgerClosed where the signal has aborted.
   */
  async keep(write: WaitingWrite): Promise<boolean> {
    const { place, version } = write;
    // In memory it is no more than on the disk: each of thousands may have a long answer.
    this.#note(lean(write));
    const change: Change = { write, end: new Deferred() };
    this.#last.set(place, change);
    this.#changes.push(change);
    if (!this.#isStoring) void this.#storeAll();
    const refusal = await change.end.promise;
    if (refusal) throw refusal;
    const known = this.#writes.get(place);
    return known ? known.version === version : hasEnded(write);
  }

  #note(write: WaitingWrite): void {
    const { place } = write;
    if (hasEnded(write)) return this.#forget(write);
    if (!this.#writes.has(place) && place < this.#highest) this.#isInOrder = false;
    this.#writes.set(place, write);
    this.#highest = Math.max(this.#highest, place);
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true;
    // What is ordered in the same turn goes along.
    await Promise.resolve();
    while (this.#changes.length > 0) await this.#store(this.#changes.splice(0, MOST));
    this.#isStoring = false;
  }

  async #store(changes: readonly Change[]): Promise<void> {
    try {
      await this.#change(changes.map(({ write }) => write));
      for (const change of changes) this.#stored(change);
    } catch (error) {
      for (const change of changes) {
        if (error instanceof StaleGeneration) change.end.resolve(error);
        // One that cannot be stored holds up no other.
        else void this.#insist(change);
      }
    }
  }

  /** Where its write has changed again, that change is stored, and this one with it. */
  async #insist(change: Change): Promise<void> {
    const { write, end } = change;
    let tried = write;
    for (let pause = FIRST_PAUSE; this.#isLast(change); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      if (this.#signal.aborted) return end.resolve(new LedgerClosed('The outbox has ended'));
      try {
        await this.#change([tried]);
        return this.#stored(change);
      } catch (error) {
        if (error instanceof StaleGeneration) return end.resolve(error);
        // Its answer may be what there is no room for.
        tried = withoutAnswer(write);
        await this.#ports.clock.sleep(pause, this.#signal);
      }
    }
    const later = this.#last.get(write.place);
    end.resolve(later ? await later.end.promise : null);
  }

  #isLast(change: Change): boolean {
    return this.#last.get(change.write.place) === change;
  }

  #stored(change: Change): void {
    if (this.#isLast(change)) this.#last.delete(change.write.place);
    change.end.resolve(null);
  }

  async #change(changed: readonly WaitingWrite[]): Promise<void> {
    // Of one that has changed twice, the last.
    const newest = [...new Map(changed.map((each) => [each.place, each])).values()];
    const others = await this.#ports.store.change(newest.map(lean));
    for (const [place, other] of others) this.#learnFrom(place, other);
  }

  /** It is stored like this instead: null where it is gone. */
  #learnFrom(place: number, other: WaitingWrite | null): void {
    const known = this.#writes.get(place);
    if (other) return this.learn(other);
    if (!known) return;
    this.#forget(known);
    this.#ports.gone?.(known);
  }
}

interface Change {
  readonly write: WaitingWrite;
  /** Null once it is on the disk, or why it never will be. */
  readonly end: Deferred<Error | null>;
}
