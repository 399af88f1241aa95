import type { RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { Pauses } from '../platform/pauses.ts';
import { Bell, Deferred } from '../platform/waiting.ts';
import { Agreement } from './agreement.ts';
import type { Database } from './database.ts';
import { IdbOutbox, OutboxFull } from './idb-outbox.ts';
import type { Arrival } from './idb-outbox.ts';
import type { Opened } from './opening.ts';
import type { Kept, OutboxCopy } from './outbox-copy.ts';
import { NotWhole } from './taken-back.ts';

/** Milliseconds for which ends are gathered. */
const GATHERED = 100;

/** Milliseconds until the copy is tried again after it has failed, for the first time. */
const FIRST_PAUSE = 1_000;

/** Milliseconds for which no write waits for a copy that has let one wait in vain: doubled each time, up to the longest. */
const FIRST_QUIET = 30_000;
const LONGEST_QUIET = 600_000;

/** No write has waited for the copy in vain. */
const NEVER = { at: -Infinity, pause: FIRST_QUIET / 2 };

/** How often work begins anew where the database is lost in its midst. */
const TRIES = 3;

/** Places of a new outbox that begin in one millisecond: those of one that was made later are higher. */
const PLACES = 1_024;

export interface Added {
  readonly results: readonly (WaitingWrite | OutboxFull)[];
  /** Resolves once they are in the copy, too, or that has failed. */
  readonly copied: Promise<void>;
}

/**
 * An outbox with a copy in other files. A browser may lose a database with all that it holds, as Chromium does after a kill in the midst
 * of a write: what waited is then taken from the copy, before anything is sent. The copy has each write as it was when it was queued or
 * decided, or when an attempt had failed. Whatever fails there, writes wait all the same, and the two are made to agree later.
 */
export class CopiedOutbox {
  readonly #database: Database;
  readonly #stored: IdbOutbox;
  readonly #copy: OutboxCopy;
  readonly #agreement: Agreement;
  readonly #retired = new AbortController();
  /** The connection that is known. Another one may be to a database that was made anew. */
  #opened: Opened | null = null;
  /** Resolves once the outbox has what a lost one had, or that has not advanced for a while. */
  #whole = new Deferred();
  /** Rings as each part of that is taken back. */
  readonly #advanced = new Bell();
  #isSettling = false;
  #mustSettle = false;
  /** Ends a pause of that. */
  #hurry = new AbortController();
  /** True from a failure of the copy until the two agree again: nobody waits for it meanwhile. */
  #isTroubled = false;
  /** When the copy kept a write waiting in vain, in milliseconds of the epoch, and for how long nobody waits for it after that. */
  #vain = NEVER;
  /** The writes that have ended, and that the copy still has. */
  #over: WaitingWrite[] = [];
  /** Resolves when all that was to be dropped so far is, or has failed. */
  #dropped: Promise<void> = Promise.resolve();

  /** `restored`: called when anything was taken from the copy, and once this has all that a lost one had. */
  constructor(database: Database, stored: IdbOutbox, copy: OutboxCopy, restored: () => void) {
    this.#database = database;
    this.#stored = stored;
    this.#copy = copy;
    this.#agreement = new Agreement(stored, copy, restored);
  }

  all(): Promise<(WaitingWrite | null)[]> {
    return this.#onceWhole(async () => {
      const found = await this.#stored.all();
      const intact = found.filter((each) => each !== null);
      if (intact.length === found.length) return found;
      const isMended = await this.#agreement.mend(intact).catch(() => false);
      return isMended ? this.#stored.all() : found;
    });
  }

  ended(entries: readonly string[] | null): Promise<WaitingWrite[]> {
    return this.#onceWhole(() => this.#stored.ended(entries));
  }

  assertWhole(): Promise<void> {
    return this.#onceWhole(async () => {
      if (!(await this.#stored.isWhole())) throw new NotWhole();
    });
  }

  /** Reads from the copy what the outbox has lost. The copy has nothing of what has ended. Null where neither has it. */
  bodies(writes: readonly WaitingWrite[]): Promise<(RequestBody | null)[]> {
    return this.#onceWhole(async () => {
      const found = await this.#stored.bodies(writes);
      const lacking = writes.filter((each, index) => !found[index] && !hasEnded(each));
      if (lacking.length === 0) return found;
      const copied = await this.#copy.bodies(lacking).catch(() => []);
      return writes.map((each, index) => found[index] ?? copied[lacking.indexOf(each)] ?? null);
    });
  }

  names(temporaryIds: readonly string[]): ReturnType<IdbOutbox['names']> {
    return this.#onceWhole(() => this.#stored.names(temporaryIds, true));
  }

  /** It waits for nothing that is to be taken back. */
  async add(arrivals: readonly Arrival[]): Promise<Added> {
    await this.#notice();
    const results = await this.#stored.add(arrivals, this.#database.clock.now() * PLACES);
    const kept = results.flatMap((write, index) => {
      const arrival = arrivals[index];
      if (!arrival || write instanceof OutboxFull || hasEnded(write)) return [];
      // One that was added before may have been edited since.
      return [{ write, body: write.key === arrival.write.key ? arrival.body : null }];
    });
    return { results, copied: this.#keep(kept) };
  }

  async change(...given: Parameters<IdbOutbox['change']>): ReturnType<IdbOutbox['change']> {
    const others = await this.#stored.change(...given);
    const changed = given[0].filter(({ place }) => !others.has(place));
    this.#gather(changed.filter(hasEnded));
    // That an attempt has begun says nothing that is not taken for granted.
    const kept = changed.filter((each) => !hasEnded(each) && each.state !== 'sending');
    void this.#keep(kept.map((write) => ({ write, body: null })));
    return others;
  }

  async decide(...given: Parameters<IdbOutbox['decide']>): ReturnType<IdbOutbox['decide']> {
    await this.#notice();
    if (this.#opened) await this.#whole.promise;
    const decided = await this.#stored.decide(...given);
    if (!decided || decided.after === decided.before) return decided;
    const { before, after: write } = decided;
    if (hasEnded(write)) await this.#drop([write]);
    else await this.#keep([{ write, body: given[2], formerKey: before.key }]);
    return decided;
  }

  async sweep(before: number, now: number): Promise<void> {
    await this.#stored.sweep(before, now);
    await this.#copy.sweep(now).catch(() => {});
  }

  forgetEnded(): Promise<void> {
    return this.#stored.forgetEnded();
  }

  /** Rejects where either cannot be cleared: what is left in the copy would come back. */
  async clear(): Promise<void> {
    this.#over = [];
    try {
      await this.#clearCopy();
      await this.#stored.clear();
      // Something may have been added between the two.
      await this.#clearCopy();
    } finally {
      this.#settle();
    }
  }

  async #clearCopy(): Promise<void> {
    try {
      await this.#copy.clear();
    } catch (error) {
      if (!(await this.#stored.isUnused())) throw error;
    }
  }

  /** Resolves once the copy has nothing that has ended, or that has failed. */
  async retire(): Promise<void> {
    this.#retired.abort();
    this.#hurry.abort();
    this.#advanced.ring();
    await this.#drop(this.#over.splice(0));
    this.#copy.retire();
  }

  /** Work on an outbox that has what a lost one had. Where it was lost in the midst of the work, that begins anew. */
  async #onceWhole<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      await this.#notice();
      const opened = this.#opened;
      if (opened) await this.#whole.promise;
      const result = await work();
      await this.#notice();
      if (opened === this.#opened || tries === TRIES) return result;
    }
  }

  async #notice(): Promise<void> {
    // If it cannot be opened, the work that comes next says why.
    const opened = await this.#database.connect().catch(() => null);
    if (!opened || opened === this.#opened) return;
    this.#opened = opened;
    this.#whole = new Deferred();
    void this.#hold(this.#whole);
    this.#settle();
    this.#hurry.abort();
  }

  #trouble(): void {
    this.#isTroubled = true;
    this.#settle();
  }

  /** Has the outbox take back what was lost, and the copy agree with it. */
  #settle(): void {
    this.#mustSettle = true;
    if (!this.#isSettling) void this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    this.#isSettling = true;
    const pauses = new Pauses(this.#database.clock, FIRST_PAUSE);
    while (this.#mustSettle && !this.#retired.signal.aborted) {
      this.#mustSettle = false;
      this.#hurry = new AbortController();
      try {
        await this.#takeBack(this.#whole);
        await this.#agreement.takeMore();
        await this.#agreement.make();
        this.#isTroubled = false;
      } catch (error) {
        [this.#isTroubled, this.#mustSettle] = [true, true];
        await pauses.after(error, this.#hurry.signal);
      }
    }
    this.#isSettling = false;
  }

  async #takeBack(whole: Deferred): Promise<void> {
    await this.#agreement.takeBack(() => this.#advanced.ring());
    whole.resolve();
  }

  /** Nobody waits for what does not come, whatever the clock shows meanwhile. */
  async #hold(whole: Deferred): Promise<void> {
    let advanced: AbortSignal;
    do {
      advanced = this.#advanced.signal;
      await this.#database.clock.sleep(LIMITS.takingBack, advanced);
    } while (advanced.aborted && !this.#retired.signal.aborted);
    whole.resolve();
  }

  /** Resolves once the copy has them, or has failed. */
  async #keep(kept: readonly Kept[]): Promise<void> {
    if (kept.length === 0) return;
    const { at, pause } = this.#vain;
    const since = this.#database.clock.now() - at;
    const keeping = this.#keepNow(kept);
    if (!this.#isTroubled && !(since >= 0 && since < pause)) await keeping;
  }

  async #keepNow(kept: readonly Kept[]): Promise<void> {
    const { clock } = this.#database;
    const began = clock.now();
    // A comparison that is under way may have read this write as it was before.
    if (this.#isSettling) this.#mustSettle = true;
    try {
      await this.#copy.keep(kept);
      const took = Math.abs(clock.now() - began);
      if (took < GATHERED) this.#vain = NEVER;
      // Another engine may have ended them meanwhile.
      else await this.#agreement.dropIfOver(kept.map(({ write }) => write.entry));
    } catch {
      this.#vain = { at: clock.now(), pause: Math.min(2 * this.#vain.pause, LONGEST_QUIET) };
      this.#trouble();
    }
  }

  #gather(ended: readonly WaitingWrite[]): void {
    if (ended.length === 0) return;
    if (this.#over.length === 0) void this.#dropLater();
    this.#over.push(...ended);
  }

  async #dropLater(): Promise<void> {
    await this.#database.clock.sleep(GATHERED, this.#retired.signal);
    await this.#drop(this.#over.splice(0));
  }

  async #drop(ended: readonly WaitingWrite[]): Promise<void> {
    const before = this.#dropped;
    const drop = async (): Promise<void> => {
      await before;
      if (ended.length === 0) return;
      const entries = ended.map(({ entry }) => entry);
      await this.#copy.drop(entries, ended).catch(() => this.#trouble());
    };
    this.#dropped = drop();
    await this.#dropped;
  }
}
