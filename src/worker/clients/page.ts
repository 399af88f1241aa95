import { LIMITS } from '../../shared/limits.ts';
import { expose, releaseProxy, transfer, wrap } from 'comlink';
import { Channel, negotiate } from '../../shared/channel.ts';
import type { Send } from '../../shared/channel.ts';
import type { Identity } from '../../shared/identity.ts';
import type { CallInspection } from '../../shared/inspection.ts';
import { OLDEST_PROTOCOL, PROTOCOL, WORKER_CALLS } from '../../shared/protocol.ts';
import type {
  Command,
  Greeting,
  PageApi,
  Receipt,
  Reply,
  Submission,
  Welcome,
  WorkerApi,
} from '../../shared/protocol.ts';
import { Calls } from './calls.ts';
import { FAREWELLS, FOR_THE_NEXT, obey } from './commands.ts';
import type { Commanding } from './commands.ts';
import type { Clock } from '../platform/system.ts';
import type { Drain, Services } from './services.ts';
import { validateMessage } from './validate.ts';
import type { KeepaliveLeader } from './keepalive-leader.ts';
import { draining, ofNothing, refuseOther, speaksOther, welcome } from './services.ts';
import {
  decline,
  isRead,
  receiptFor,
  sorted,
  STRANGE_BATCH,
  STRANGE_COMMAND,
  unanswered,
} from './receipts.ts';

const DONE: Reply = { kind: 'done' };

/** Milliseconds that a page has to learn that the worker is to be replaced. */
const NOTICE = 500;

/** Milliseconds after which all has arrived that a page posted before it went. */
const ON_ITS_WAY = 1_000;

/** Shared by all pages of a worker. */
export interface PagePorts {
  readonly services: Services;
  readonly leader: KeepaliveLeader;
  readonly drain: Drain;
  /** The device's time: what `inspect` shows. */
  readonly now: () => number;
  /** Never goes back: an absence is counted by it. */
  readonly clock: Pick<Clock, 'now'>;
}

/** One session of one page: its channel, its calls, and what it may ask for. */
export class Page implements WorkerApi {
  readonly #name: string;
  readonly #services: Services;
  readonly #channel: Channel;
  readonly #release: () => void;
  readonly #calls: Calls;
  readonly #leader: KeepaliveLeader;
  readonly #drain: Drain;
  readonly #now: () => number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #commanding: Commanding;
  #work: Promise<unknown>[] = [];
  #heard = 0;
  #left = false;
  #hidden = false;
  /** The number of the last greeting; 0 before the first. */
  #greeting = 0;
  /** When the page was found to be gone; null while it is there. */
  #goneAt: number | null = null;

  /** `closed` is called when the page says that the session is over. */
  constructor(
    name: string,
    { services, leader, drain, now, clock }: PagePorts,
    send: Send,
    closed: () => void,
  ) {
    this.#name = name;
    this.#services = services;
    this.#leader = leader;
    this.#drain = drain;
    this.#now = now;
    this.#clock = clock;
    this.#calls = new Calls(name, services);
    this.#commanding = {
      name,
      services,
      calls: this.#calls,
      drain,
      setHidden: (hidden) => this.#setHidden(hidden),
      leave: () => this.#leave(),
      closed,
    };
    // A message to a page in the back/forward cache costs the page its place there. It greets when it is back.
    const unlessAway: Send = (message, buffers) => (this.#left ? undefined : send(message, buffers));
    this.#channel = new Channel(WORKER_CALLS, unlessAway, validateMessage);
    expose(this, this.#channel.incoming);
    // In a page that runs the engine, no proxy may be collected while the page is away: see `Transport`.
    const page = wrap<PageApi>(this.#channel.outgoing);
    const { deliver } = page;
    this.#release = (): void => {
      for (const proxy of [page, deliver]) proxy[releaseProxy]();
    };
    services.hub.open(name, {
      deliver: (batch, transferred) => deliver(transfer(batch, [...transferred])),
      tell: (batch) => this.#channel.tell('deliver', batch),
    });
  }

  /** Takes one message. Resolves when the work that it started has ended: its event is held that long. What fails is told. */
  async receive(message: unknown): Promise<void> {
    this.#heard += 1;
    this.#work = [];
    this.#channel.receive(message);
    await Promise.allSettled(this.#work);
  }

  greet(greeting: Greeting): Promise<Welcome> {
    if (this.#drain.begun) {
      this.#left = false;
      return this.#hold(draining(this.#services));
    }
    if (greeting.number <= this.#greeting) return unanswered();
    const protocol = negotiate(greeting, PROTOCOL, OLDEST_PROTOCOL);
    if (protocol === null) return Promise.resolve(speaksOther(greeting.protocol));
    const heeded = this.#services.identity.heed(greeting.identity);
    return this.#hold(
      heeded ? heeded.then(() => this.#greet(greeting, protocol)) : this.#greet(greeting, protocol),
    );
  }

  #greet(greeting: Greeting, protocol: number): Promise<Welcome> {
    this.#greeting = greeting.number;
    this.#left = false;
    this.#goneAt = null;
    // Before anything else: what the page is told from here on has to be newer than what it has.
    this.#services.heed(greeting.lineage ?? 0);
    const isKnown = this.#services.identity.recognizes(greeting.identity);
    if (!isKnown) this.#services.hub.renew(this.#name);
    this.#services.hub.recognize(this.#name, isKnown);
    this.#reconcile(isKnown ? greeting : ofNothing(greeting));
    return welcome(this.#services, this.#calls, protocol);
  }

  async submit(batch: readonly Submission[]): Promise<Receipt> {
    if (this.#isStranger) return STRANGE_BATCH;
    const isBack = this.#isBack();
    if (isBack && batch.length > 0 && batch.every(isRead)) return STRANGE_BATCH;
    if (this.#drain.begun) return decline(batch);
    return await receiptFor(
      sorted(batch, isBack, (call) => refuseOther(this.#services.identity, call)),
      {
        answer: this.#channel.answerer(),
        carry: (carrier) => this.#services.hub.carry(this.#name, carrier),
        take: (call) => this.#hold(this.#calls.take(call, this.#now())),
      },
    );
  }

  control(command: Command): Promise<Reply> {
    const isToGreet = this.#isStranger || (!FAREWELLS.has(command.kind) && this.#isBack());
    if (isToGreet) return Promise.resolve(STRANGE_COMMAND);
    if (this.#drain.begun && FOR_THE_NEXT.has(command.kind)) return unanswered();
    if (command.kind === 'keepalive' && command.watched) return this.#keepAlive(command.hidden);
    const reply = this.#hold(obey(command, this.#commanding));
    if (command.kind === 'sign-in' || command.kind === 'sign-out') void this.#hold(this.#hearSigned(reply));
    return reply;
  }

  /** The page is for the present identity from here on. It is told what waits once it has heard that. */
  async #hearSigned(signing: Promise<Reply>): Promise<void> {
    const { identity, hub, outbox, credentials, sleep } = this.#services;
    const reply = await signing.catch(() => null);
    if (reply?.kind !== 'identity' || !identity.isPresent(reply.identity.epoch)) return;
    hub.recognize(this.#name, true);
    if (credentials.recognized(this.#name)) outbox.renewed();
    await sleep(0);
    if (identity.isPresent(reply.identity.epoch)) await outbox.introduce(this.#name, false);
  }

  /**
   * The worker is to be replaced. When this resolves, the page has fallen silent, if it is awake: any message from it
   * would wake the worker, which would then keep its successor waiting.
   */
  async giveNotice(): Promise<void> {
    const { hub, sleep } = this.#services;
    if (this.#left) return;
    hub.tell(this.#name, { kind: 'draining' });
    await Promise.race([hub.flush(this.#name), sleep(NOTICE)]);
  }

  /**
   * The worker is to be replaced: the page's loops are for the next one, and requests that must not be sent twice are
   * waited for. A page that has crashed did not say so, and sends nothing again.
   */
  async drain(isThere: Promise<boolean>, patience: Promise<void>): Promise<void> {
    this.#services.loops.stopAll(this.#name);
    if (!(await isThere)) this.abandon();
    await this.#calls.drain(patience);
  }

  /**
   * The page is gone, or in the back/forward cache, which looks the same: its loops and its reads end (invariant 13).
   * Its writes run to their answers, which are kept until it comes back.
   */
  abandon(): void {
    this.#goneAt ??= this.#clock.now();
    this.#left = true;
    this.#endWishes();
    this.#calls.abandon();
  }

  /** All that the page has under way, and all that it was to be told, belongs to an identity that is signed out. */
  endAll(): void {
    this.#calls.endAll();
    this.#services.loops.stopAll(this.#name);
    this.#services.hub.renew(this.#name);
  }

  tellIdentity(identity: Identity): void {
    this.#services.loops.setHidden(this.#name, this.#hidden);
    this.#services.hub.tell(this.#name, { kind: 'identity', identity });
  }

  /** Nothing of the session remains. */
  close(): void {
    this.#endWishes();
    this.#services.hub.close(this.#name);
    this.#calls.abortAll();
    this.#channel.close();
    this.#release();
  }

  /** How many messages have come from it. */
  get heard(): number {
    return this.#heard;
  }

  inspect(): CallInspection[] {
    return this.#calls.inspect();
  }

  /** True where the page may be forgotten: it is gone, nothing of it is under way, and no answer waits for it. */
  get isOver(): boolean {
    if (this.#goneAt === null || this.#calls.size > 0) return false;
    return this.#clock.now() - this.#goneAt >= (this.#calls.unread === 0 ? ON_ITS_WAY : LIMITS.absence);
  }

  /** True before the first greeting that was understood. */
  get #isStranger(): boolean {
    return this.#greeting === 0;
  }

  /** True where the page is back after it was taken for gone: its loops have ended, so it has to greet. */
  #isBack(): boolean {
    if (this.#goneAt === null) return false;
    this.#left = false;
    return true;
  }

  /** All that needs the page to be there. */
  #endWishes(): void {
    this.#services.loops.stopAll(this.#name);
    this.#services.credentials.leave(this.#name);
    this.#leader.forget(this.#name);
  }

  /** The page gets what it wants. All else that the worker has of the page ends. */
  #reconcile({ calls, resync, hidden, online, provides = [], number, ...wish }: Greeting): void {
    const { hub, loops, outbox, introduce, credentials } = this.#services;
    this.#calls.greet(calls, resync);
    this.#setHidden(hidden);
    if (credentials.setOrigins(this.#name, provides)) outbox.renewed();
    this.#calls.forget(hub.resend(this.#name));
    void this.#hold(introduce(this.#name, number > 1));
    loops.greet(this.#name, { ...wish, hidden });
    if (!online) return;
    void loops.wakeUp();
    outbox.online();
  }

  #setHidden(hidden: boolean): void {
    this.#hidden = hidden;
    this.#leader.setHidden(this.#name, hidden);
    this.#services.hub.setHidden(this.#name, hidden);
    this.#services.credentials.setHidden(this.#name, hidden);
  }

  #hold<T>(work: Promise<T>): Promise<T> {
    this.#work.push(work);
    return work;
  }

  /** Holds the event if this page is the leader. The answer comes when the page is to ask again. */
  async #keepAlive(hidden: boolean): Promise<Reply> {
    const { answered, held } = this.#leader.ask(this.#name, hidden);
    void this.#hold(held);
    await answered;
    return DONE;
  }

  /** The page is about to go: what it said of itself counts no more, and it is told nothing more. */
  #leave(): void {
    this.#left = true;
    this.#endWishes();
    this.#calls.leave();
    this.#services.hub.setHidden(this.#name, false);
  }
}
