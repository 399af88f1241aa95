import type { Claim, Identity } from '../../shared/identity.ts';
import { messageOf } from '../../shared/failure.ts';
import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import { FIRST, OUTBOX } from '../contracts/root-store.ts';
import type { Place, RootLookup, RootMemory, RootRecord, RootStore } from '../contracts/root-store.ts';
import type { Clock } from '../platform/system.ts';
import { Pauses } from '../platform/pauses.ts';
import { Deferred } from '../platform/waiting.ts';
import { Whereabouts } from './whereabouts.ts';
import { isOfOne, merged, moved, withLeft, without, epochAfter, standingOf, verdictOn } from './standing.ts';

/** Milliseconds until a root database that was late is asked again, for the first time. */
const FIRST_PAUSE = 1_000;

export interface IdentitiesPorts {
  readonly clock: Clock;
  readonly store: RootStore;
  readonly digest: (salt: string, name: string) => Promise<string>;
  /** A new unguessable name. */
  readonly uuid: () => string;
  /** From here on nothing of the present identity is asked, stored or told. */
  readonly retire: () => void;
  /** Builds what serves the next identity. Its storage waits to learn where it is. */
  readonly begin: (place: Promise<Place>, identity: Identity) => void;
  /** Tells every page who is signed in now. */
  readonly tell: (identity: Identity) => void;
  /**
   * Deletes what is stored of a partition; resolves with whether nothing is left of it. `isDoomed`: false once the user of an outbox is
   * back, so that all of it stays.
   */
  readonly erase: (partition: string, isDoomed: () => boolean) => Promise<boolean>;
  /** The partitions of which anything is stored, as far as the browser says. Never rejects. */
  readonly stored: () => Promise<readonly string[]>;
}

/**
 * Who is signed in, and what changes with that. One change follows the other; while one is under way, `busy` says so,
 * and no message of a page is handled.
 */
export class Identities {
  readonly #ports: IdentitiesPorts;
  #name: string | null = null;
  /** Resolves with the name of the present identity, once that is known. */
  #known = new Deferred<string>();
  #isSignedIn = false;
  /** Null until a page or the storage has said. */
  #epoch: number | null = null;
  /** Null until the storage has said. */
  #root: RootRecord | null = null;
  #whereabouts = new Whereabouts();
  #busy: Promise<void> | null = null;
  /** Set where there is no database, and as long as the disk is late. */
  #memory: RootMemory | null = null;
  /** What is stored where nothing is. */
  readonly #blank: RootRecord;
  #isStarting = true;
  /** Why it is not stored who is signed in; null where it is. */
  #unsaved: Failure | null = null;
  #isRetrying = false;
  #isErasing = false;

  constructor(ports: IdentitiesPorts) {
    this.#ports = ports;
    this.#blank = { partition: FIRST, digest: null, epoch: 0, salt: ports.uuid(), doomed: [] };
    const learned = this.#learn(this.#blank);
    // Where the storage is late, pages are served as nobody's meanwhile, from memory and the network.
    void this.#occupy(async () => {
      await Promise.race([learned, ports.clock.sleep(LIMITS.storedSoon)]);
      this.#isStarting = false;
    });
  }

  /** Where the present identity's answers are stored, once that is known. */
  get place(): Promise<Place> {
    return this.#whereabouts.place;
  }

  /** Resolves when who is signed in is known and settled; null if it is. */
  get busy(): Promise<void> | null {
    return this.#busy;
  }

  /** Null where nothing is known yet: then pages count as nobody's. */
  get present(): Identity | null {
    if (this.#epoch === null) return null;
    return { name: this.#name, isSignedIn: this.#isSignedIn, epoch: this.#epoch };
  }

  /** True if what a page says in that epoch counts; undefined for a page that has heard of no epoch. */
  isPresent(epoch: number | undefined): boolean {
    return epoch === undefined ? !this.#isSignedIn : epoch === this.#epoch;
  }

  /** True if what a page with that claim wants is for the present identity. */
  recognizes(claim: Claim | undefined): boolean {
    return standingOf(claim, this.present) === 'same';
  }

  /** Learns what a page knows and this worker instance does not. Null where there is nothing to learn. */
  heed(claim: Claim | undefined): Promise<void> | null {
    if (!claim) return null;
    if (standingOf(claim, this.present) === 'ahead') return this.#occupy(() => this.#adopt(claim));
    const { name } = claim;
    const mayBeIt = this.#isSignedIn && this.#name === null && claim.epoch === this.#epoch;
    return mayBeIt && name !== null ? this.#occupy(() => this.#recall(name)) : null;
  }

  /**
   * The app has signed in a user of that name, or nobody. The same name continues; another one ends the present one. A
   * failure as long as that is not stored: the next worker instance would take the user before for the present one.
   */
  sign(name: string | null): Promise<Identity | Failure> {
    return this.#occupy(async () => {
      await this.#lookAgain();
      if (name !== null) await this.#recall(name);
      const isIt = name === null ? !this.#isSignedIn : this.#name === name;
      const epoch = epochAfter(this.#epoch ?? 0, this.#ports.clock.now());
      if (!isIt) await this.#change(name, epoch);
      // Pages have counted as nobody's: what they have under way goes on.
      else if (this.#epoch === null) this.#heedEpoch(epoch);
      else if (this.#unsaved !== null) await this.#save();
      return this.#unsaved ?? this.#told;
    });
  }

  /**
   * What was stored has been deleted: all of it, and who is signed in is stored again; or this partition alone, by
   * another engine, whose change then counts.
   */
  restore(): void {
    if (this.#root) void this.#learn(this.#root);
  }

  get #told(): Identity {
    return this.present ?? { name: null, isSignedIn: false, epoch: 0 };
  }

  #occupy<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#busy;
    const done = before === null ? work() : before.then(work);
    const busy = this.#free(done, () => busy);
    this.#busy = busy;
    return done;
  }

  async #free(done: Promise<unknown>, own: () => Promise<void>): Promise<void> {
    await done.catch(() => {});
    if (this.#busy === own()) this.#busy = null;
  }

  /** Asks the storage until it answers. */
  async #learn(blank: RootRecord): Promise<void> {
    const { store, clock } = this.#ports;
    const pauses = new Pauses(clock, FIRST_PAUSE);
    for (;;) {
      const found = await store.read(blank);
      if (found.kind !== 'unknown') return this.#heedStored(found);
      await pauses.after(found.error);
    }
  }

  async #heedStored(found: Exclude<RootLookup, { readonly kind: 'unknown' }>): Promise<void> {
    const heed = (): Promise<void> =>
      found.kind === 'found' ? this.#judge(found.value) : this.#doWithout(found);
    await (this.#isStarting ? heed() : this.#occupy(heed));
    // Where there is no database, Chromium reports even the question for their names as an uncaught error.
    if (found.kind === 'found') void this.#eraseLeft();
  }

  /** Another engine may have changed it, which nothing has told this one; or the disk may not be late any more. */
  async #lookAgain(): Promise<void> {
    const blank = this.#root ?? (this.#memory?.isLate ? this.#blank : null);
    const found = blank && (await this.#ports.store.read(blank));
    if (found?.kind === 'found') await this.#judge(found.value);
  }

  async #judge(stored: RootRecord): Promise<void> {
    if (this.#root) return this.#review(stored, this.#root);
    this.#memory = null;
    const digest = await this.#digestOf(this.#name, stored.salt);
    switch (verdictOn({ epoch: this.#epoch, digest }, stored)) {
      case 'continue':
        this.#root = { ...stored, epoch: (this.#epoch ??= stored.epoch) };
        this.#whereabouts.settle(this.#placeOf(stored));
        if (stored.epoch !== this.#epoch) void this.#save();
        return;
      case 'follow':
        return this.#follow(stored, digest);
      case 'overrule':
        this.#root = moved(stored, this.#ports.uuid(), digest, this.#epoch ?? stored.epoch);
        await this.#save();
    }
  }

  /** Another engine may have changed what is stored since this one has learned it. */
  async #review(stored: RootRecord, own: RootRecord): Promise<void> {
    if (stored.partition === own.partition) {
      if (own.digest === null) this.#root = { ...own, salt: stored.salt };
      return;
    }
    if (stored.epoch <= own.epoch) return this.#save();
    this.#follow(stored, await this.#digestOf(this.#name, stored.salt));
  }

  /** `digest` is that of the present name, which is known still if it is the same user. */
  #follow(stored: RootRecord, digest: string | null): void {
    this.#root = stored;
    this.#ports.retire();
    this.#be(digest === stored.digest ? this.#name : null, stored.digest !== null, stored.epoch);
    this.#whereabouts.settle(this.#placeOf(stored));
    this.#begin();
  }

  /**
   * No database can be had: nothing outlives this worker instance. Where the disk is only late, it is not known who is signed in until
   * a page or the disk says so.
   */
  async #doWithout(memory: RootMemory): Promise<void> {
    this.#memory = memory;
    this.#whereabouts.stayInMemory(memory);
    if (memory.isLate) void this.#learnLate();
    else this.#epoch ??= 0;
  }

  /** What has changed meanwhile is stored then. Answers stay in memory until the next change. */
  async #learnLate(): Promise<void> {
    const { store, clock } = this.#ports;
    const pauses = new Pauses(clock, FIRST_PAUSE);
    for (;;) {
      await pauses.after(null);
      const found = await store.read(this.#blank);
      if (found.kind === 'found') return this.#heedStored(found);
    }
  }

  /** A page knows of a later change. */
  async #adopt({ name, epoch }: Claim): Promise<void> {
    if (name !== null) await this.#recall(name);
    const isSame = name === this.#name && (name !== null || !this.#isSignedIn);
    if (!isSame) {
      await this.#lookAgain();
      return this.#change(name, epoch);
    }
    this.#epoch = epoch;
    if (this.#root) this.#root = { ...this.#root, epoch };
    await this.#save();
  }

  /** Learns the name of who is signed in, which is not stored, where this is the one. */
  async #recall(name: string): Promise<void> {
    if (!this.#root || !this.#isSignedIn || this.#name !== null) return;
    if ((await this.#digestOf(name, this.#root.salt)) !== this.#root.digest) return;
    this.#name = name;
    this.#known.resolve(name);
  }

  /** First the epoch, then the end of all that was asked in an earlier one; what is stored goes before the next begins. */
  async #change(name: string | null, epoch: number): Promise<void> {
    const { retire, uuid } = this.#ports;
    retire();
    this.#be(name, name !== null, epoch);
    if (this.#memory) this.#whereabouts.stayInMemory(this.#memory);
    if (this.#root) {
      const { salt } = this.#root;
      this.#root = moved(this.#root, uuid(), await this.#digestOf(name, salt), epoch);
      await this.#save();
      await this.#eraseDoomed();
    }
    this.#begin();
  }

  #be(name: string | null, isSignedIn: boolean, epoch: number): void {
    [this.#name, this.#isSignedIn, this.#epoch] = [name, isSignedIn, epoch];
    [this.#whereabouts, this.#known] = [new Whereabouts(), new Deferred()];
    if (name !== null) this.#known.resolve(name);
  }

  #begin(): void {
    const { begin, tell } = this.#ports;
    begin(this.#whereabouts.place, this.#told);
    tell(this.#told);
  }

  #placeOf({ partition, digest: owner, salt }: RootRecord, { promise: name } = this.#known): Place {
    if (owner === null) return { kind: 'database', partition, owner };
    const by = async (other: string): Promise<string> => this.#ports.digest(other, await name);
    return { kind: 'database', partition, owner, digests: { salt, by } };
  }

  #digestOf(name: string | null, salt: string): Promise<string | null> {
    return name === null ? Promise.resolve(null) : this.#ports.digest(salt, name);
  }

  /**
   * Stores who is signed in, and then says where. Where the browser has no room for that, what is to be deleted gives way. Where it fails
   * all the same, it is tried again, and this does not wait.
   */
  async #save(): Promise<void> {
    await this.#saveOnce();
    if (this.#unsaved === null) return;
    await this.#eraseDoomed();
    await this.#saveOnce();
    if (this.#unsaved !== null) void this.#saveLater();
  }

  async #saveOnce(): Promise<void> {
    const [wanted, whereabouts, known] = [this.#root, this.#whereabouts, this.#known];
    if (!wanted) return;
    try {
      const stored = await this.#ports.store.update((before) => merged(wanted, before));
      if (isOfOne(this.#root, wanted)) [this.#root, this.#unsaved] = [stored, null];
      if (isOfOne(this.#root, stored)) this.#heedEpoch(stored.epoch);
      whereabouts.settle(this.#placeOf(wanted, known));
    } catch (error) {
      if (isOfOne(this.#root, wanted)) this.#unsaved = unsaved(error);
    }
  }

  async #saveLater(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    while (this.#unsaved !== null) {
      await this.#ports.clock.sleep(FIRST_PAUSE);
      await this.#saveOnce();
    }
    this.#isRetrying = false;
    await this.#eraseDoomed();
  }

  /**
   * Nobody else has come, but the epoch is another one: it was stored above another engine's, by which the next worker instance goes, or
   * a page is the first to say that nobody is signed in.
   */
  #heedEpoch(epoch: number): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#ports.tell(this.#told);
  }

  /**
   * Deletes all but the present partition: also what another engine has made anew after its deletion, and what a root
   * database that was lost has listed.
   */
  async #eraseLeft(): Promise<void> {
    const { stored, store } = this.#ports;
    const { partitions, root } = { partitions: await stored(), root: this.#root };
    // Asked after the partitions: each was named there before it was made.
    const found = root && (await store.read(root));
    if (found?.kind !== 'found' || !this.#root) return;
    this.#root = withLeft(this.#root, partitions, found.value);
    await this.#eraseDoomed();
  }

  async #eraseDoomed(): Promise<void> {
    await this.#erase(this.#root?.doomed ?? []);
    if (!this.#isErasing) void this.#eraseOutboxesLater();
  }

  /** A partition that another program holds is gone once it lets go, or at the next start. */
  async #eraseOutboxesLater(): Promise<void> {
    this.#isErasing = true;
    const pauses = new Pauses(this.#ports.clock, FIRST_PAUSE);
    while (this.#outboxesLeft.length > 0) {
      await pauses.after(null);
      await this.#erase(await this.#outboxesStored());
    }
    this.#isErasing = false;
  }

  /** Those of which the storage says the same: the users of others are back in another engine. None where that is not known now. */
  async #outboxesStored(): Promise<readonly string[]> {
    const [root, left] = [this.#root, this.#outboxesLeft];
    const found = root && this.#unsaved === null ? await this.#ports.store.read(root) : null;
    if (found?.kind !== 'found' || !this.#root) return [];
    this.#root = without(this.#root, new Set(left.filter((each) => !found.value.doomed.includes(each))));
    return this.#outboxesLeft;
  }

  get #outboxesLeft(): readonly string[] {
    return this.#root?.doomed.filter((each) => each.startsWith(OUTBOX)) ?? [];
  }

  async #erase(doomed: readonly string[]): Promise<void> {
    const { erase, store } = this.#ports;
    if (doomed.length === 0) return;
    const isDoomed = (each: string): boolean => this.#root?.doomed.includes(each) === true;
    const isGone = (each: string): Promise<boolean> => erase(each, () => isDoomed(each)).catch(() => false);
    const erased = await Promise.all(doomed.map(async (each) => ((await isGone(each)) ? [each] : [])));
    const gone = new Set(erased.flat());
    if (gone.size === 0 || !this.#root) return;
    const root = (this.#root = without(this.#root, gone));
    // Otherwise they are deleted once more at the next start.
    await store.update((before) => without(before ?? root, gone)).catch(() => {});
  }
}

function unsaved(error: unknown): Failure {
  const code = error instanceof Error && error.name === 'QuotaExceededError' ? 'quota' : 'storage';
  return { code, message: `It cannot be stored who is signed in: ${messageOf(error)}` };
}
