import type { Failure } from '../../shared/failure.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import type { Delivery } from '../../shared/delivery.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Decided, Decision, OutboxPage, Ticket, WriteReport } from '../../shared/outbox.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { givenAmong } from '../contracts/temporary-id.ts';
import type { Names } from '../contracts/temporary-id.ts';
import {
  mayName,
  renamedInvocation,
  renamedLane,
  temporaryIdsIn,
  temporaryIdsInLane,
} from '../contracts/temporary-ids.ts';
import { foundIn } from '../contracts/response-store.ts';
import { isLateAlone } from '../platform/database-deadline.ts';
import { Pauses } from '../platform/pauses.ts';
import type { PeerChannel } from '../platform/system.ts';
import { Deferred, soon } from '../platform/waiting.ts';
import { Drainer } from './drainer.ts';
import type { DrainerPorts } from './drainer.ts';
import { dueAmong } from './lanes.ts';
import { LateEnds } from './late-ends.ts';
import type { LateEndsPorts } from './late-ends.ts';
import { News } from './news.ts';
import { Peers } from './peers.ts';
import type { OutboxNews } from './peers.ts';
import { namedCall, NO_NAMES, UnqueuedCalls } from './plain-calls.ts';
import { IS_TOLD, Reports } from './reports.ts';
import type { Arriving } from './versions.ts';
import { decided, newWrite, refusalOf, reportOf, requestOf, toldBody, withoutConditions } from './write.ts';
import type { Edit, Target } from './write.ts';

/** Milliseconds for which an event is held at most, and the rest of the queue for which none is held. */
const LONGEST_HOLD = 120_000;
const LONG_REST = 10_000;

/** Milliseconds until the disk is read again that has failed, for the first time. */
const FIRST_PAUSE = 1_000;

/** What so many writes send is read together for pages that have come: of the longest, a page takes no more at a time. */
const READ_TOGETHER = 4;

/** Milliseconds for which attempts under way are waited for as their identity is signed out. */
const LONGEST_END = 2_000;

export interface OutboxPorts
  extends
    Pick<DrainerPorts, 'clock' | 'random' | 'store' | 'performed' | 'urlOf' | 'validatorOf' | 'isProvided'>,
    Pick<LateEndsPorts, 'unstored'> {
  /** Sends a request; one that needs credentials not without any. Never rejects. */
  readonly send: (
    invocation: Invocation,
    signal: AbortSignal,
    needsCredentials: boolean,
  ) => ReturnType<DrainerPorts['send']>;
  /** True where a write that said this version was refused, and nothing was seen of what it changes since, as far as is known. */
  readonly isRefused: (invocation: Invocation, tag: string) => boolean;
  /** Asks the browser to wake the worker once there is a network, where it can. */
  readonly askForSync: () => void;
  /** Whether writes may wait from before. Never rejects. */
  readonly isThere: () => Promise<boolean>;
  /** True where pages are there, of which none is known to be for the identity: it may be another's browser by now. */
  readonly isForNobodyKnown: () => boolean;
  /** True where that page has not said that it is for the identity. */
  readonly isStranger: (page: string) => boolean;
  /** Has this work done whenever this engine acts: its signal aborts when that ends, or the other does. */
  readonly whileActing: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** True where each tab has an engine of its own. */
  readonly hasRivals: boolean;
  /** Opens the line to other engines with the same outbox; null where there is none. */
  readonly channel: () => PeerChannel | null;
  /** Tells a page, or every page that is for the identity where that is null. */
  readonly tell: (news: OutboxNews & Delivery, page: string | null) => void;
}

/** The writes of one identity that wait for their server. */
export class Outbox {
  readonly #ports: OutboxPorts;
  readonly #drainer: Drainer;
  readonly #peers: Peers;
  readonly #news: News;
  readonly #reports: Reports;
  readonly #lateEnds: LateEnds;
  readonly #ended = new AbortController();
  /** Aborts when it is not to send for a while, or for good. */
  #pausing = new AbortController();
  /** Resolves when the writes before are on their way to the disk. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Those that are on their way there. */
  readonly #adding = new Set<Promise<unknown>>();
  readonly #unqueued: UnqueuedCalls;
  /** Resolves when all is told so far. */
  #told: Promise<void> = Promise.resolve();
  /** Pages that have come since the last were told what waits for a decision; true for those that are back. */
  readonly #arrived = new Map<string, boolean>();
  /** Settles once these are told. */
  #telling: Promise<void> = Promise.resolve();
  /** How often what was lost has come back. */
  #restored = 0;
  /** How many events are under way by which the browser has woken the worker. */
  #wakes = 0;
  /** Settles when it sends no more; null as long as this engine has nothing to send. */
  #acting: Promise<void> | null = null;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
    this.#reports = new Reports(ports.store);
    this.#drainer = new Drainer({
      ...ports,
      send: (write, body, signal) => ports.send(requestOf(write, body), signal, write.needsCredentials),
      tell: (write, body) => {
        if (write.state === 'queued' && write.failure) this.#askForSync();
        if (IS_TOLD[write.state]) return this.#tell(write, body);
        if (write.isShown) this.#tellState(write);
        // One that is being sent waits as before.
        return write.state === 'sending' ? undefined : this.#news.recount();
      },
      loaded: (hasCome) => {
        if (hasCome) this.#restored += 1;
        this.#news.recount();
      },
    });
    this.#news = new News({
      clock: ports.clock,
      tell: (writes) => this.#tellAll(writes.map((write) => ({ kind: 'write', write }))),
      count: () => void this.#count(),
    });
    this.#unqueued = new UnqueuedCalls({ ...ports, drainer: this.#drainer });
    this.#lateEnds = new LateEnds({
      ...ports,
      drainer: this.#drainer,
      adding: this.#adding,
      signal: this.#ended.signal,
      stored: (write) => this.#decided(write),
    });
    this.#peers = new Peers(ports.channel, {
      look: () => this.#drainer.look(),
      told: (news) => ports.tell(news, null),
    });
  }

  /**
   * A page has come: it is told how many wait, and what waits for a decision; one that is back also what has ended lately, which
   * an earlier worker may not have told it. Never fails.
   */
  async introduce(page: string, isBack: boolean): Promise<void> {
    if (this.#ports.hasRivals) this.#peers.open();
    if (this.#ports.isForNobodyKnown()) return this.pause();
    await this.begin();
    if (!this.#acting || this.#ports.isStranger(page)) return;
    await this.#count(page);
    // No event is held for a disk that cannot be read.
    void this.#tellOwed(page, isBack);
  }

  /** Once the disk can be read. */
  async #tellOwed(page: string, isBack: boolean): Promise<void> {
    const { clock, isStranger } = this.#ports;
    const { signal } = this.#ended;
    const pauses = new Pauses(clock, FIRST_PAUSE);
    while (!signal.aborted && !isStranger(page)) {
      try {
        return await this.#tellTogether(page, isBack);
      } catch (error) {
        await pauses.after(error, signal);
      }
    }
  }

  /** In its turn, with all pages that come before that: what is told later waits until all that has been read. */
  #tellTogether(page: string, isBack: boolean): Promise<void> {
    if (this.#arrived.size === 0) {
      this.#telling = this.#told.then(() => this.#tellArrived());
      this.#told = this.#telling.catch(() => {});
    }
    this.#arrived.set(page, isBack || this.#arrived.get(page) === true);
    return this.#telling;
  }

  /** Rejects where it cannot be read what waits. */
  async #tellArrived(): Promise<void> {
    const { store, isStranger, tell } = this.#ports;
    const pages = [...this.#arrived];
    this.#arrived.clear();
    const ended = pages.some(([, isBack]) => isBack) ? await store.ended(null) : [];
    const owed = [...ended, ...(await this.#all())].filter(({ state }) => IS_TOLD[state]);
    // What has been said before is older.
    this.#news.flush();
    for (let first = 0; first < owed.length; first += READ_TOGETHER) {
      const reports = await this.#reportsOf(owed.slice(first, first + READ_TOGETHER));
      for (const [page, isBack] of pages)
        for (const write of reports)
          if ((isBack || !hasEnded(write)) && !isStranger(page)) tell({ kind: 'write', write }, page);
    }
  }

  async #reportsOf(writes: readonly WaitingWrite[]): Promise<WriteReport[]> {
    const bodies = await this.#ports.store.bodies(writes).catch(() => this.#bodiesOf(writes));
    return Promise.all(
      writes.map(async (write, index) => this.#reports.of(write, toldBody(bodies[index] ?? null))),
    );
  }

  /**
   * One by one. Null for one that is late by itself, as a large one is on a slow disk: pages ask for what they lack. Rejects where the
   * database is late for all.
   */
  async #bodiesOf(writes: readonly WaitingWrite[]): Promise<(RequestBody | null)[]> {
    const bodies: (RequestBody | null)[] = [];
    for (const write of writes) {
      const body = await this.#ports.store.body(write);
      if (body.kind === 'unknown' && !isLateAlone(body.error)) throw body.error;
      bodies.push(foundIn(body));
    }
    return bodies;
  }

  /** Has sent what an earlier life has left. Never fails. */
  async begin(): Promise<void> {
    if (this.#acting || this.#ports.isForNobodyKnown() || !(await this.#ports.isThere())) return;
    // A page that nobody knows may have come meanwhile.
    if (!this.#ports.isForNobodyKnown()) this.#act();
  }

  /** Resolves once it lies on the disk. Rejects where it cannot be stored: then it is not queued. */
  async add(ticket: Ticket, invocation: Invocation): Promise<WriteReport> {
    const adding = this.#add(ticket, invocation);
    this.#adding.add(adding);
    try {
      const write = await adding;
      // One that was queued before may have been edited since.
      const body = write.key === ticket.key ? invocation.body : await this.#bodyOf(write);
      // One that has ended was told before.
      if (write.isShown && !hasEnded(write)) void this.#tellNow(write, body);
      this.#changed();
      // Nobody may be left to ask for it when the attempt fails.
      this.#askForSync();
      return await this.#reports.of(write, toldBody(body));
    } finally {
      this.#adding.delete(adding);
    }
  }

  async #add(ticket: Ticket, invocation: Invocation): Promise<WaitingWrite> {
    const { clock, store, validatorOf, isProvided } = this.#ports;
    const needs = isProvided(invocation);
    const [before, turn] = [this.#turn, new Deferred()];
    this.#turn = turn.promise;
    const named = mayName(invocation) ? await this.#named(invocation) : invocation;
    const changed = 'code' in named ? invocation : named;
    return this.#drainer.arriving(changed, async (arriving) => {
      const matches = await validatorOf(changed);
      this.#unqueued.note(ticket, { matches, arriving });
      // In the order of the calls, whichever was looked up first.
      await before;
      const adding = store.add(newWrite(ticket, invocation, matches, clock.now(), needs), invocation.body);
      turn.resolve();
      const write = await adding;
      this.#drainer.took(write, arriving.made);
      return write;
    });
  }

  /** Has a call sent like any other that could not be queued. */
  sendUnqueued(...call: Parameters<UnqueuedCalls['send']>): ReturnType<UnqueuedCalls['send']> {
    return this.#unqueued.send(...call);
  }

  /** More waits than was known: what was lost has come back. */
  restored(): void {
    this.#drainer.look(true);
  }

  /** True where writes of that lane wait, and where nobody can read that now. Never rejects. */
  async mayWait(lane: string): Promise<boolean> {
    const { clock, isThere } = this.#ports;
    if (!this.#drainer.writes && !(await isThere())) return false;
    const waits = this.#waitsIn(lane).catch(() => null);
    return (await soon(clock, LIMITS.transaction, waits)) ?? true;
  }

  /**
   * Its lane may be named by a temporary id that no write which waits names, and an engine that does not act looks up no names.
   * Rejects where these cannot be read.
   */
  async #waitsIn(lane: string): Promise<boolean> {
    const all = await this.#all();
    const [wanted, ...lanes] = [{ lane }, ...all].map((each) => this.#drainer.laneOf(each));
    const awaited = new Set(all.map(({ temporaryId }) => temporaryId));
    const uses = new Set([wanted, ...lanes].flatMap((each = '') => temporaryIdsInLane(each)));
    const names = await this.#givenOf([...uses].filter((each) => !awaited.has(each)));
    return lanes.some((each) => renamedLane(each, names) === renamedLane(wanted ?? lane, names));
  }

  /** What waits after that place, or what has become of these entries, in their order; `isBrief`: without bodies. */
  async list(after: number | null, entries: readonly string[] | null, isBrief = false): Promise<OutboxPage> {
    return this.#reports.upToDate(entries !== null, async () =>
      entries
        ? this.#reports.pageOf(entries, after ?? 0, isBrief)
        : this.#reports.page(await this.#all(), after, isBrief),
    );
  }

  /** Resolves once that is on the disk. Rejects where the database fails, and where no such write waits, but may still come back. */
  async decide(entry: string, decision: Decision): Promise<Decided> {
    if (decision.kind === 'discard' && decision.isGivenUp === true) {
      void this.withdraw({ entry });
      // Its write may be on its way to the disk: pages ask the next worker where this one has not answered.
      await Promise.allSettled(this.#adding);
    }
    if (decision.kind !== 'edit') return this.#made(entry, decision);
    const [write] = await this.#ports.store.ended([entry]);
    return write ? this.#edit(write, decision) : this.#wasMadeBefore(entry, decision);
  }

  /** Pages know params by the ids that servers have given, and writes are stored without these. */
  async #edit({ entry, invocation }: WaitingWrite, edit: Edit): Promise<Decided> {
    const { urlOf, validatorOf, isRefused } = this.#ports;
    const asked = { ...invocation, params: edit.params ?? invocation.params };
    const uses = [invocation, asked].flatMap((each) => temporaryIdsIn(each, each.body));
    const names = await this.#givenOf(uses);
    const named = renamedInvocation(asked, names);
    return this.#drainer.arriving(named, async (arriving) => {
      // An edit of a conflict is sent without the conditions of its page.
      const matches = await validatorOf(withoutConditions(named));
      const target = {
        urlOf: (each: Invocation) => urlOf(renamedInvocation(each, names)),
        matches,
        isRefused: matches !== null && isRefused(named, matches),
      };
      return this.#made(entry, edit, target, arriving);
    });
  }

  /** The ids that servers have given for these. */
  async #givenOf(temporaryIds: readonly string[]): Promise<Names> {
    const names = temporaryIds.length > 0 ? this.#ports.store : NO_NAMES;
    return givenAmong(await names.names(temporaryIds));
  }

  async #made(entry: string, decision: Decision, target?: Target, arriving?: Arriving): Promise<Decided> {
    const { store, clock } = this.#ports;
    const body = decision.kind === 'edit' ? decision.body : null;
    const made = await store.decide(entry, (write) => decided(write, decision, clock.now(), target), body);
    if (!made) return this.#wasMadeBefore(entry, decision);
    const { before, after } = made;
    if (after === before) return refusalOf(before, decision);
    if (decision.kind === 'retry') this.#drainer.hurried(after);
    else this.#drainer.took(after, arriving?.made);
    this.#decided(after);
    return 'decided';
  }

  #decided(write: WaitingWrite): void {
    if (hasEnded(write) || write.isShown) this.#tell(write, null);
    this.#changed();
  }

  /** It is not sent from here on, and discarded as soon as the database lets it. Never rejects. */
  withdraw({ entry }: Pick<WriteReport, 'entry'>): Promise<void> {
    return this.#lateEnds.withdraw(entry);
  }

  /** Sent past the queue, it has succeeded: it is not sent from here on, and done as soon as the database lets it. Never rejects. */
  succeeded(...given: Parameters<LateEnds['succeeded']>): Promise<void> {
    return this.#lateEnds.succeeded(...given);
  }

  /** A decision may be said twice, since its reply may be lost. */
  async #wasMadeBefore(entry: string, decision: Decision): Promise<Decided> {
    const { store } = this.#ports;
    const [known] = decision.kind === 'retry' ? [] : await store.ended([entry]);
    const isMade = decision.kind === 'edit' ? known?.key === decision.key : known?.state === 'discarded';
    if (!isMade) await store.assertWhole();
    return isMade ? 'decided' : 'absent';
  }

  /**
   * The same call with the ids that servers have given to what queued writes have created; a failure where these cannot be read,
   * and for a write where one has none. Never rejects.
   */
  async named(invocation: Invocation): Promise<Invocation | Failure> {
    return this.#named(invocation, this.#adding);
  }

  /** `before`: among these may be the write that creates what it names, on its way to the disk. */
  async #named(
    invocation: Invocation,
    before: Iterable<Promise<unknown>> = [],
  ): Promise<Invocation | Failure> {
    const { isThere, store } = this.#ports;
    const temporaryIds = temporaryIdsIn(invocation, invocation.body);
    // A text with the mark of a temporary id in it names nothing, and needs no disk.
    if (temporaryIds.length === 0) return invocation;
    await Promise.allSettled(before);
    return namedCall(invocation, temporaryIds, (await isThere()) ? store : NO_NAMES);
  }

  /**
   * The worker was woken for what waits. Resolves when all is sent that can be sent now, with whether nothing waits for its server any
   * more. Never rejects.
   */
  async wake(): Promise<boolean> {
    this.#wakes += 1;
    await this.begin();
    this.#drainer.online();
    await this.idle();
    this.#wakes -= 1;
    const { isThere, store } = this.#ports;
    if (!this.#drainer.writes && !(await isThere())) return true;
    // What was lost may still come back, and nobody else would wake the worker for it.
    const whole = store.assertWhole().then(() => this.#all());
    const all = await whole.catch(() => null);
    return all !== null && dueAmong(all, (write) => this.#drainer.laneOf(write)) === 0;
  }

  /** Not while it is woken: the browser wakes it at once for what is asked for then, and later for what fails. */
  #askForSync(): void {
    if (this.#wakes === 0) this.#ports.askForSync();
  }

  /** A call is sent past the queue. The writes that wait in its lane are not sent until the returned function is called. */
  hold(ticket: Ticket): () => void {
    return this.#unqueued.hold(ticket);
  }

  /** The network is back. */
  online(): void {
    void this.begin();
    this.#drainer.online();
  }

  /** There are other credentials. */
  renewed(): void {
    this.#drainer.renewed();
  }

  /** Resolves when nothing can be sent for a while, or after the longest time for which an event should be held. */
  async idle(): Promise<void> {
    if (!this.#acting) return;
    const over = new AbortController();
    const { clock } = this.#ports;
    const { signal } = this.#pausing;
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    void clock.sleep(LONGEST_HOLD, over.signal).then(end);
    if (!signal.aborted) await this.#drainer.idle(LONG_REST, over.signal);
    end();
    signal.removeEventListener('abort', end);
  }

  /** Nothing is sent until it begins again. */
  pause(): void {
    this.#pausing.abort();
    this.#pausing = new AbortController();
    this.#acting = null;
  }

  /** Another engine goes on from here: nothing is sent any more, and no event is held. */
  rest(): void {
    this.#ended.abort();
    this.pause();
    this.#news.flush();
    this.#peers.close();
  }

  /** Removes all that waits. Rejects where that fails: then it goes on. */
  async discardAll(): Promise<void> {
    await Promise.allSettled(this.#adding);
    if (!this.#acting && !(await this.#ports.isThere())) return;
    await this.#stop();
    try {
      await this.#ports.store.clear();
    } finally {
      await this.begin();
      this.#changed();
    }
  }

  /** Its identity is signed out: nothing is sent any more, and what has ended is forgotten, but for its names: later, where the disk fails. Never rejects. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#stop();
    this.#peers.close();
    const { isThere, store } = this.#ports;
    if (await isThere()) await store.forgetEnded().catch(() => {});
  }

  /** Resolves when attempts under way have ended, and that is stored. */
  async #stop(): Promise<void> {
    const acting = this.#acting;
    this.pause();
    if (acting) await Promise.race([acting, this.#ports.clock.sleep(LONGEST_END)]);
  }

  /** In their order, though a body may have to be read. */
  #tell(write: WaitingWrite, body: RequestBody | null): void {
    const read = async (): Promise<RequestBody | null> => body ?? this.#bodyOf(write);
    this.#told = this.#tellAfter(this.#told, write, read);
  }

  /** Before it is sent, so that no answer which contains it comes first. Pages know what it sends, or ask for that. */
  #tellState(write: WaitingWrite): void {
    this.#news.flush();
    this.#tellAll([{ kind: 'write', write: reportOf(write, null) }]);
  }

  async #tellNow(write: WaitingWrite, body: RequestBody | null): Promise<void> {
    this.#tellAll([{ kind: 'write', write: await this.#reports.of(write, toldBody(body)) }]);
  }

  async #tellAfter(
    before: Promise<void>,
    write: WaitingWrite,
    body: () => Promise<RequestBody | null>,
  ): Promise<void> {
    await before;
    this.#news.add(await this.#reports.of(write, toldBody(await body())));
  }

  /** Tells every page. */
  #tellAll(all: readonly OutboxNews[]): void {
    for (const news of all) {
      if (news.kind === 'write') this.#reports.told(news.write);
      this.#ports.tell(news, null);
    }
    this.#peers.tell(all);
  }

  /** Null also where it cannot be read now: pages ask for what they are not told. */
  async #bodyOf(write: WaitingWrite): Promise<RequestBody | null> {
    const [body = null] = await this.#ports.store.bodies([write]).catch(() => []);
    return body;
  }

  #act(): void {
    if (this.#ended.signal.aborted) return;
    const drain = (signal: AbortSignal): Promise<void> =>
      this.#lateEnds.goOn(signal).then(() => this.#drainer.act(signal));
    this.#acting ??= this.#ports.whileActing(drain, this.#pausing.signal);
    this.#peers.open();
  }

  /** Something was added, or decided: whoever acts goes on with it. */
  #changed(): void {
    if (!this.#ports.isForNobodyKnown()) this.#act();
    if (!this.#drainer.writes) this.#peers.look();
    this.#news.recount();
  }

  async #all(): Promise<readonly WaitingWrite[]> {
    const { hasRivals, clock, store } = this.#ports;
    // It is read to be sent anyway, and to read thousands takes its time.
    if (this.#acting && !hasRivals) await soon(clock, LIMITS.transaction, this.#drainer.read);
    const known = this.#drainer.writes;
    if (known) return known;
    const found = await store.all();
    if (found.kind === 'unknown') throw found.error;
    return found.kind === 'found' ? found.value : [];
  }

  async #count(page: string | null = null): Promise<void> {
    const known = this.#drainer.writes;
    const all = known ?? (await this.#all().catch(() => null));
    if (!all) return;
    const due = dueAmong(all, (write) => this.#drainer.laneOf(write));
    const counts = { waiting: all.length, due, restored: this.#restored };
    const news = { kind: 'outbox', counts } as const;
    if (page !== null) this.#ports.tell(news, page);
    else if (known) this.#tellAll([news]);
    else this.#ports.tell(news, null);
  }
}
