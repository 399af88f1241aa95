import type { Header } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { mayBeDone, unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import type { Clock } from '../platform/system.ts';
import { aborted, Bell, Deferred } from '../platform/waiting.ts';
import { after, begun, onTop, resumed, revived, setAside, unprovided, unsent, woken } from './attempts.ts';
import { Floors } from './floors.ts';
import { KnownNames } from './known-names.ts';
import { planOf } from './lanes.ts';
import { Ledger } from './ledger.ts';
import type { Lost } from './makers.ts';
import { Versions } from './versions.ts';
import type { Arriving, Made, VersionsPorts } from './versions.ts';

/** Milliseconds until a database that does not answer is asked again. */
const ASKED_AGAIN = 1_000;

/** Milliseconds, half to one and a half times as long, for which an engine rests that has found another at work. */
const YIELDED = 5_000;

/** Milliseconds for which what was sent and answered is kept of what has ended: pages that have missed that are told. */
const KEPT = 300_000;

export interface DrainerPorts extends VersionsPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: OutboxStore;
  /** One attempt, under the write's key. It ends as aborted when the signal aborts. Never rejects. */
  readonly send: (write: WaitingWrite, body: RequestBody, signal: AbortSignal) => Promise<Outcome>;
  /** True where a page provides credentials for the origin of this. */
  readonly isProvided: (invocation: Invocation) => boolean;
  /** The server has done what this asks for, though its last answer, with these headers, does not say so. */
  readonly performed: (invocation: Invocation, headers: readonly Header[]) => void;
  /** Called for each state that a write comes to, once that is on the disk. */
  readonly tell: (write: WaitingWrite, body: RequestBody | null) => void;
  /** Called when it has read what waits, perhaps anew. `hasCome`: among it are writes that the disk had lost. */
  readonly loaded: (hasCome: boolean) => void;
}

/**
 * Sends what waits, as long as this engine acts. An attempt is stored before it is sent and its end before it is told, so that
 * whatever dies, the next life knows all that its server may know.
 */
export class Drainer {
  readonly #ports: DrainerPorts;
  readonly #bell = new Bell();
  /** Rings as it comes to rest. */
  readonly #rest = new Bell();
  readonly #underWay = new Set<Promise<void>>();
  /** The writes that hold their lanes with an attempt, as they were before it. */
  readonly #busy = new Set<WaitingWrite>();
  readonly #arriving = new Set<Arriving>();
  /** The entries of those that are not sent any more in this life, whatever the disk may have of them. */
  readonly #dropped = new Set<string>();
  /** The lanes that are held otherwise. */
  readonly #held = new Set<Pick<WaitingWrite, 'lane'>>();
  readonly #floors: Floors;
  #names: KnownNames;
  #versions: Versions;
  /** Kept for as many lanes as can wait, those too that are empty: what is queued there goes on. */
  readonly #lastTurn = new RecentlyUsed<string, number>(LIMITS.waitingWrites);
  #turns = 0;
  /** Ends the present work on what was read. */
  #end = new AbortController();
  #ledger: Ledger | null = null;
  #read = new Deferred();
  /** Resolves when it has come to the end of what it did so far. */
  #acted: Promise<void> = Promise.resolve();
  /** What was added or decided while what waits is being read, which may lack it; null while nothing is. */
  #early: WaitingWrite[] | null = null;
  /** What `look` has heard before what waits was read, which may have been too late for that; null for nothing. */
  #missed: { readonly isRestored: boolean } | null = null;
  /** True where the network came back before what waits was read. */
  #isWoken = false;
  /** When the next lane may go on, in milliseconds of the epoch: null where none waits for a time, undefined while it works. */
  #restsUntil: number | null | undefined;
  /** True where something has ended that is to be forgotten once it is old. */
  #mustSweep = false;
  #isSweeping = false;

  constructor(ports: DrainerPorts) {
    this.#ports = ports;
    this.#names = new KnownNames(ports);
    this.#floors = new Floors(ports.clock, (write) => this.laneOf(write));
    this.#versions = new Versions(ports, this.#names, this.#arriving);
  }

  /** All that wait; null as long as this engine does not act, or has not read them. */
  get writes(): readonly WaitingWrite[] | null {
    return this.#end.signal.aborted ? null : (this.#ledger?.all ?? null);
  }

  /** Resolves once this engine acts and has read what waits, or has failed to at its first try. */
  get read(): Promise<void> {
    return this.#read.promise;
  }

  /** The lane of a write, named by the ids that are known. */
  laneOf(write: Pick<WaitingWrite, 'lane'>): string {
    return this.#names.laneOf(write);
  }

  /** `store` looks up which version this changes, and stores it. What is done to that meanwhile is noted until it is told of it (`took`). */
  async arriving<Stored>(
    invocation: Invocation,
    store: (arriving: Arriving) => Promise<Stored>,
  ): Promise<Stored> {
    const arriving: Arriving = { invocation, made: [] };
    this.#arriving.add(arriving);
    return store(arriving).finally(() => this.#arriving.delete(arriving));
  }

  /** It is stored like this: somebody has decided about it, or it was added just now. `since`: see `Versions`. */
  took(write: WaitingWrite, since: readonly Made[] = []): void {
    const ledger = this.#ledger;
    this.#floors.pass(write);
    if (ledger) {
      ledger.learn(write);
      this.#run(this.#versions.rebaseAgain(ledger, write, since));
      if (hasEnded(write)) this.#sweepLater();
    } else this.#early?.push(write);
    this.#names.renew();
    this.#ring();
  }

  /** Somebody wants this to go, whatever it waits for. */
  hurried(write: WaitingWrite): void {
    this.#floors.lift(write);
    this.took(write);
  }

  /** It is not sent any more in this life, though it be read later: what ends it may take its time to the disk. */
  drop(entry: string): void {
    this.#dropped.add(entry);
    const write = this.#ledger?.all.find((each) => each.entry === entry);
    if (write) this.#ledger?.drop(write);
    this.#ring();
  }

  /** A call that was sent past the queue is done: what waits to change the same is to change what this has made of it. */
  made(done: WaitingWrite): void {
    for (const each of this.#versions.rebase(this.#ledger, done)) this.#run(each);
  }

  /** See `Versions`. */
  rebasedOn(write: WaitingWrite, made: readonly Made[]): WaitingWrite {
    return this.#versions.rebasedOn(write, made);
  }

  /** Nothing of that lane is begun until the returned function is called, and what is done to what `arriving` changes is noted. */
  hold(lane: string, arriving: Arriving | null = null): () => void {
    const held = { lane };
    this.#held.add(held);
    if (arriving) this.#arriving.add(arriving);
    return () => {
      if (arriving) this.#arriving.delete(arriving);
      if (this.#held.delete(held)) this.#ring();
    };
  }

  /** Another engine has added a write, or decided about one. `isRestored`: the disk has writes again that it had lost. */
  look(isRestored = false): void {
    const ledger = this.#ledger;
    if (ledger) this.#run(this.#look(ledger, isRestored));
    else this.#miss(isRestored);
  }

  #miss(isRestored: boolean): void {
    this.#missed = { isRestored: isRestored || this.#missed?.isRestored === true };
  }

  async #look(ledger: Ledger, isRestored: boolean): Promise<void> {
    const { store, clock, loaded } = this.#ports;
    const { signal } = this.#end;
    for (;;) {
      const known = ledger.all;
      const found = await store.all();
      if (found.kind === 'found') {
        const come = this.#compare(ledger, known, found.value);
        return loaded(isRestored && come.length > 0);
      }
      if (signal.aborted && isRestored) this.#miss(isRestored);
      if (found.kind === 'absent' || signal.aborted) return;
      await clock.sleep(ASKED_AGAIN, signal);
    }
  }

  /** `known`: what waited before `found` was read. Returns what has come since. */
  #compare(
    ledger: Ledger,
    known: readonly WaitingWrite[],
    found: readonly WaitingWrite[],
  ): readonly WaitingWrite[] {
    const there = new Map(found.map((each) => [each.place, each]));
    for (const each of known) {
      if (there.has(each.place)) continue;
      ledger.drop(each);
      this.#floors.pass(each);
    }
    const places = new Set(known.map(({ place }) => place));
    const come = found.filter(({ place }) => !places.has(place));
    for (const each of found) ledger.learn(each);
    this.#revive(ledger, come);
    this.#names.renew();
    return come;
  }

  /** Their attempts were those of a life that is over, also where they come from the copy of an outbox that was lost. */
  #revive(ledger: Ledger, some: readonly WaitingWrite[]): void {
    for (const each of some) {
      const next = revived(each, this.#ports.clock.now());
      if (next !== each && ledger.get(each.place) === each) this.#run(this.#keep(ledger, next));
    }
  }

  /** The network is back: no lane waits for its time, unless its server wants that. */
  online(): void {
    this.#isWoken = this.#ledger === null;
    this.#each(woken);
  }

  /** There are other credentials. */
  renewed(): void {
    this.#each(resumed);
  }

  /** Resolves when nothing is under way and nothing is to be sent for so many milliseconds, or the signal aborts. */
  async idle(milliseconds: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#restsFor(milliseconds)) await this.#rest.heard(signal);
  }

  /** Works until the signal aborts; resolves when all attempts have ended and their ends are stored. */
  act(signal: AbortSignal): Promise<void> {
    const before = this.#acted;
    this.#acted = this.#act(before, signal);
    return this.#acted;
  }

  /** What was under way before may be on its way to the disk still. */
  async #act(before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    while (!signal.aborted) await this.#term(signal);
  }

  /** From one look at what waits to the next. */
  async #term(signal: AbortSignal): Promise<void> {
    this.#end = new AbortController();
    const end = (): void => this.#end.abort();
    const { signal: ended } = this.#end;
    signal.addEventListener('abort', end);
    const loaded = await this.#load(ended);
    if (loaded !== null) {
      const gone = (write: WaitingWrite): void => this.#run(this.#tellEnd(write));
      const isDropped = (entry: string): boolean => this.#dropped.has(entry);
      const ledger = new Ledger({ ...this.#ports, gone, isDropped }, loaded, signal);
      this.#names = new KnownNames(this.#ports);
      this.#versions = new Versions(this.#ports, this.#names, this.#arriving);
      for (const each of this.#early?.splice(0) ?? []) ledger.learn(each);
      this.#ledger = ledger;
      this.#read.resolve();
      this.#revive(ledger, ledger.all);
      this.#run(this.#sweep());
      this.#sweepLater();
      const missed = this.#missed;
      this.#missed = null;
      if (missed) this.look(missed.isRestored);
      if (this.#isWoken) this.online();
      this.#ports.loaded(missed?.isRestored === true && loaded.length > 0);
      await this.#work(ledger, ended);
    }
    await Promise.all(this.#underWay);
    signal.removeEventListener('abort', end);
    [this.#ledger, this.#early] = [null, null];
    this.#read.resolve();
    this.#read = new Deferred();
  }

  async #work(ledger: Ledger, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) await this.#wait(this.#begin(ledger, ended), ended);
  }

  /** Begins what can go now. Returns when the next lane may go on, as a plan says it. */
  #begin(ledger: Ledger, ended: AbortSignal): number | null {
    const names = this.#names;
    const most = LIMITS.writesOfAll - this.#busy.size;
    // Once one of them has ended, this is called again.
    if (most <= -LIMITS.writesAhead) return null;
    const busy = new Set([...this.#busy, ...this.#held].map(names.laneOf));
    const plan = planOf(ledger.all, {
      now: this.#ports.clock.now(),
      most,
      underWay: [...this.#busy],
      urlOf: this.#ports.urlOf,
      isBusy: (lane) => busy.has(lane),
      heldLanes: [...this.#held],
      known: names.of,
      laneOf: names.laneOf,
      lastTurn: (lane) => this.#lastTurn.peek(lane) ?? 0,
      floorOf: (lane) => this.#floors.of(lane),
    });
    if (plan.unknown.length > 0) this.#run(names.lookUp(plan.unknown, ended));
    // The next worker knows nothing of the lane's.
    for (const each of plan.held) this.#run(this.#keep(ledger, each));
    for (const each of plan.lost) this.#run(this.#setAside(ledger, each));
    for (const each of plan.now) this.#run(this.#attempt(ledger, each, ended));
    return plan.wakeAt;
  }

  #restsFor(milliseconds: number): boolean {
    const until = this.#restsUntil;
    return until === null || (until !== undefined && until - this.#ports.clock.now() >= milliseconds);
  }

  #ring(): void {
    this.#restsUntil = undefined;
    this.#bell.ring();
  }

  #run(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => (error instanceof StaleGeneration ? this.#yield() : undefined))
      .finally(() => {
        this.#underWay.delete(done);
        this.#ring();
      });
    this.#underWay.add(done);
  }

  /** What is stored is another engine's, or was deleted: it is read anew, after a while in which that engine may work. */
  async #yield(): Promise<void> {
    const { clock, random } = this.#ports;
    const { signal } = this.#end;
    await clock.sleep(YIELDED * (random() + 1 / 2), signal);
    this.#end.abort();
  }

  /** Null where the signal aborts first. */
  async #load(signal: AbortSignal): Promise<readonly WaitingWrite[] | null> {
    const { store, clock } = this.#ports;
    while (!signal.aborted) {
      this.#early = [];
      const found = await store.take().then(() => store.all(), unknownFor);
      if (found.kind === 'found') return found.value;
      if (found.kind === 'absent') return [];
      this.#read.resolve();
      await clock.sleep(ASKED_AGAIN, signal);
    }
    return null;
  }

  async #wait(wakeAt: number | null, signal: AbortSignal): Promise<void> {
    const awake = new AbortController();
    const { clock } = this.#ports;
    const time = wakeAt === null ? aborted(awake.signal) : clock.sleep(wakeAt - clock.now(), awake.signal);
    const heard = aborted(this.#bell.signal, signal, awake.signal);
    if (this.#underWay.size === 0) {
      this.#restsUntil = wakeAt;
      this.#rest.ring();
    }
    await Promise.race([time, heard]);
    awake.abort();
  }

  async #keep(ledger: Ledger, write: WaitingWrite): Promise<void> {
    await ledger.keep(write);
  }

  async #setAside(ledger: Ledger, { write, why }: Lost): Promise<void> {
    const next = setAside(write, why);
    if (await ledger.keep(next)) this.#ports.tell(next, null);
  }

  /**
   * Whoever has ended it may not know that it is stored, where the disk was slow. One that was discarded on its way may have been
   * performed until now: what pages have asked for since may lack that.
   */
  async #tellEnd({ entry }: WaitingWrite): Promise<void> {
    const { store, clock, tell, loaded } = this.#ports;
    const endedAt = clock.now();
    const ended = await store.ended([entry]).catch(() => []);
    for (const each of ended)
      if (hasEnded(each)) tell(each.state === 'discarded' ? { ...each, endedAt } : each, null);
    loaded(false);
  }

  /** A lane has one attempt under way at most, though its write be discarded meanwhile. */
  async #attempt(ledger: Ledger, write: WaitingWrite, signal: AbortSignal): Promise<void> {
    this.#busy.add(write);
    const free = (): void => {
      if (this.#busy.delete(write)) this.#lastTurn.set(this.laneOf(write), (this.#turns += 1));
      this.#ring();
    };
    await this.#tryOnce(ledger, write, signal, free).finally(free);
  }

  async #tryOnce(ledger: Ledger, write: WaitingWrite, signal: AbortSignal, free: () => void): Promise<void> {
    const { clock, random, send, tell, store, performed, isProvided } = this.#ports;
    const names = this.#names;
    const versions = this.#versions;
    const found = versions.isUnknown(write) ? await versions.lookedUp(write) : write;
    const sent = begun(found, isProvided(names.invocationOf(found)));
    // Somebody may have decided about it meanwhile.
    if (ledger.get(write.place) !== write) return;
    // Its body is read while this is stored. An edit meanwhile would make it another version, which is not sent.
    const [isKept, body] = await Promise.all([ledger.keep(sent), store.body(sent)]);
    if (!isKept) return;
    tell(sent, null);
    // It was discarded while its body was being read, or is to change another version by now.
    const sending = ledger.get(write.place);
    if (sending === null) return;
    const attempted = { ...sent, matches: sending.matches };
    const invocation = names.invocationOf(sent, body.kind === 'found' ? body.value : undefined);
    const outcome =
      body.kind === 'found' ? await send({ ...attempted, invocation }, invocation.body, signal) : NOT_READ;
    // What it changes is asked for again, as after an answer that says so.
    const learn = (end: WaitingWrite): void => {
      if (end.state === 'done' && outcome.kind === 'failed')
        performed(invocation, outcome.answer?.headers ?? []);
    };
    const rebase = (end: WaitingWrite): void => {
      if (end.state !== 'done') return;
      // Its server has performed it for the version that was sent, whatever it was to change since.
      const done = { ...end, matches: attempted.matches };
      for (const each of versions.rebase(ledger, done)) this.#run(each);
    };
    const now = clock.now();
    const present = ledger.get(write.place);
    if (present?.entry !== sent.entry || present.version !== sent.version) {
      // It was discarded meanwhile: what its server wants of the lane, and what it has done, counts all the same.
      const end = after(attempted, { outcome, now, random: random() });
      this.#floors.pass(end);
      rebase(end);
      learn(end);
      if (end.state === 'done' || mayBeDone(outcome)) this.#run(this.#tellEnd(sent));
      return;
    }
    const next =
      body.kind === 'unknown'
        ? unsent(present, now + ASKED_AGAIN)
        : (unprovided(present, outcome, isProvided(invocation)) ??
          onTop(after(present, { outcome, now, random: random() }), attempted.matches));
    const kept = this.#keepEnd(ledger, next);
    rebase(next);
    // The next of its lane begins in this very turn, so that one transaction stores that and the end of this one.
    free();
    if (!signal.aborted) this.#begin(ledger, signal);
    learn(next);
    await kept;
    tell(next, body.kind === 'found' ? body.value : null);
    if (next.state === 'done') this.#sweepLater();
  }

  /** What uses it waits until its name is stored. */
  async #keepEnd(ledger: Ledger, write: WaitingWrite): Promise<void> {
    const { temporaryId } = write;
    if (temporaryId === null || write.state !== 'done') return this.#keep(ledger, write);
    const names = this.#names;
    names.expect(temporaryId);
    await this.#keep(ledger, write).finally(() => names.renew());
  }

  /** What has ended by now is forgotten once it is old, and what ends meanwhile by the look after that. */
  #sweepLater(): void {
    this.#mustSweep = true;
    if (!this.#isSweeping) void this.#sweepAll();
  }

  async #sweepAll(): Promise<void> {
    this.#isSweeping = true;
    while (this.#mustSweep && !this.#end.signal.aborted) {
      const { signal } = this.#end;
      this.#mustSweep = false;
      await this.#ports.clock.sleep(KEPT + 1, signal);
      if (!signal.aborted) await this.#sweep();
    }
    this.#isSweeping = false;
  }

  /** Forgets what ended long ago. Where that fails, the next look does. */
  async #sweep(): Promise<void> {
    const now = this.#ports.clock.now();
    await this.#ports.store.sweep(now - KEPT, now).catch(() => (this.#mustSweep = true));
  }

  #each(change: (write: WaitingWrite) => WaitingWrite): void {
    const ledger = this.#ledger;
    if (!ledger) return;
    for (const each of ledger.all) {
      const next = change(each);
      if (next !== each) this.#run(this.#keep(ledger, next));
    }
    this.#ring();
  }
}

/** The body is gone: nothing was sent, and nothing can be. */
const NOT_READ: Outcome = unanswered({
  code: 'storage',
  message: 'What it was to send is not stored any more',
});

function unknownFor(error: unknown): Lookup<never> {
  return { kind: 'unknown', error };
}
