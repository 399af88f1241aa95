import type { Failure } from '../../shared/failure.ts';
import type { Identity } from '../../shared/identity.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Command, LoopDeclaration, Reply, Submission, EventInterest } from '../../shared/protocol.ts';
import { RestError } from '../error.ts';
import type { Host } from '../hosts/host.ts';
import { QueryRecords } from '../queries/records.ts';
import { Calls } from './calls.ts';
import type { CallListener, CallView } from './calls.ts';
import { Deliveries } from './inbox.ts';
import type { InboxPorts, OutboxNews } from './inbox.ts';
import { Keepalive, Waking } from './keepalive.ts';
import { Provision, Signing } from './signing.ts';
import type { ProvisionPorts, SigningPorts } from './signing.ts';
import { WorkerConnection } from './worker-connection.ts';
import type { WorkerConnectionPorts } from './worker-connection.ts';
import { earlyOn } from './early-calls.ts';
import type { EarlyCalls } from './early-calls.ts';
import { desiredState, Presence } from './desired-state.ts';
import { DeclaredLoops } from './loops.ts';
import type { LoopListener, LoopView } from './loop.ts';
import { SharedReads } from './shared-reads.ts';
import { Requests, Waiters } from './requests.ts';
import { PageClock } from './due.ts';
import type { PageClockPorts } from './due.ts';
import { NO_ANSWER, said, Sender } from './sender.ts';

/** The writes that wait, as a session deals with them. */
export interface SessionOutbox extends OutboxNews {
  /** A worker has answered. */
  readonly live: () => void;
  /** True where writes wait for nothing but their server. */
  readonly isDue: () => boolean;
}

export interface SessionPorts
  extends
    Pick<WorkerConnectionPorts, 'token' | 'released' | 'changed'>,
    Pick<InboxPorts, 'storage' | 'origin'>,
    Pick<SigningPorts, 'identified' | 'waits'>,
    PageClockPorts {
  readonly outbox: SessionOutbox;
  /** Asks the page's provider of credentials; never rejects. */
  readonly credentials: ProvisionPorts['ask'];
}

/** Commands about what one identity has. */
const OF_IDENTITY: readonly Command['kind'][] = [
  'part',
  'list-stored',
  'read-stored',
  'remove-stored',
  'list-outbox',
  'decide',
];

/** A page's session: sends calls, declares loops, takes deliveries, and goes on with the next worker instance. */
export class Session {
  readonly provision: Provision;
  readonly presence: Presence;
  readonly #connection: WorkerConnection;
  readonly #loops: DeclaredLoops;
  readonly #calls: Calls;
  readonly #reads: SharedReads;
  readonly #sender: Sender;
  readonly #early: EarlyCalls | null;
  readonly #requests: Requests;
  readonly #keepalive: Keepalive;
  readonly #deliveries: Deliveries;
  readonly #waiters = new Waiters();
  readonly #outbox: SessionOutbox;
  readonly signing: Signing;
  readonly #waking: Waking;

  constructor(host: Host, ports: SessionPorts, records: QueryRecords = new QueryRecords()) {
    this.#outbox = ports.outbox;
    this.signing = new Signing({
      ...ports,
      session: {
        empty: () => records.empty(),
        endOf: (isEnded, failure) => {
          this.#abort(this.#calls.failOf(isEnded, failure));
          this.#loops.endOf(isEnded, unanswered(failure));
        },
      },
      request: (command) => this.request(command),
      opened: () => {
        this.#sender.goOn();
        this.provision.goOn();
      },
      turned: () => records.wake('identity'),
    });
    const { identity } = this.signing;
    const era = (): number => identity.era;
    const declare = (declaration: LoopDeclaration): void => this.#sender.declare(declaration);
    this.#loops = new DeclaredLoops(new PageClock(ports), declare, records, era);
    const callsPorts = { expired: (id: number) => this.#expire(id), freed: () => this.#sender.flushLater() };
    this.#calls = new Calls({ ...callsPorts, written: () => this.#early?.written(), era }, records);
    this.#waking = new Waking(this.#loops, this.#calls, () => {
      this.connect();
      this.#keepalive.start();
    });
    this.#early = earlyOn(host, {
      calls: this.#calls,
      loops: this.#loops,
      identity,
      provides: () => this.provision.origins,
      freed: () => this.#sender.flushLater(),
      adopt: (answers) => this.#sender.adopt(answers),
      begun: () => this.signing.hear(null),
    });
    this.#reads = new SharedReads(this.#calls);
    const { outbox } = ports;
    this.#deliveries = new Deliveries(this.#calls, this.#loops, {
      ...ports,
      // The writes of the user before are nothing to a page that does not know yet for whom it is.
      outbox: {
        write: (write) => (identity.isOpen ? outbox.write(write) : undefined),
        counts: (counts) => (identity.isOpen ? outbox.counts(counts) : undefined),
      },
      wanted: (wanted) => void this.provision.answer(wanted),
      draining: (sequence) => this.#connection.drain(sequence),
      missed: () => this.#connection.resync(),
      identity: (present) => this.signing.hear(present),
    });
    const { behind } = this.#deliveries;
    this.presence = new Presence({
      loops: this.#loops,
      tell: (command) => this.#sender.tell(command),
      sayOnline: (news) => this.#sender.sayOnline(news),
      wake: () => this.#waking.now(),
      back: () => this.#connection.happen('shown'),
    });
    this.#connection = new WorkerConnection(host, {
      ...ports,
      changed: (state) => {
        if (state !== 'live' && state !== 'replacing') this.#requests.endLife();
        ports.changed(state);
      },
      desired: (endpoint) => {
        this.#deliveries.rejoin(endpoint);
        if (this.presence.isAway) return null;
        this.#early?.greet();
        const { isNews: online } = this.presence.news;
        const { lineage } = this.#deliveries;
        const { origins: provides } = this.provision;
        const { isOpen } = identity;
        const owner = { claim: identity.greet(), isOpen };
        return desiredState(this.#calls, this.#loops, owner, { online, lineage, provides });
      },
      later: () => this.#sender.declareAll(),
      deliver: (batch, transport) => this.#deliveries.take(batch, transport),
      left: (transport, hasCalls) => this.#deliveries.leave(transport, this.#loops.ids, hasCalls),
      live: (taken, present) => this.#resume(taken, present),
      gone: (failure) => this.#giveUp(failure),
      needed: () => this.#needed,
      resting: () => this.#rest(),
      unwatched: () => this.#keepalive.renew(),
    });
    this.#sender = new Sender(this.#connection, this.#calls, this.#loops, identity, this.#early);
    this.#requests = new Requests({
      ready: () => this.ready(),
      control: (command) => this.#sender.control(command),
      replaceable: () => host.waiting,
    });
    this.provision = new Provision({
      isOpen: () => identity.isOpen,
      ask: ports.credentials,
      tell: (command) => this.#sender.tell(command),
      request: (command) => this.#requests.make(command),
      tellLeft: (command) => behind.tell(command),
    });
    // A page that is its own host lives as long as anything in it needs the engine.
    const isWorker = (): boolean => host.kind !== 'page' && this.#connection.remote !== null;
    this.#keepalive = new Keepalive({
      needed: () => isWorker() && this.#needed,
      stay: () => this.#sender.keepAlive(),
      watched: () => this.#connection.watched,
      silent: () => this.#connection.happen('lost'),
      ended: () => {
        if (isWorker() && !this.#connection.watched) this.#waking.whenDue();
      },
    });
  }

  connect(): void {
    this.#connection.happen('needed');
  }

  /** Resolves once the worker has answered; rejects with the reason where none can be had. */
  async ready(): Promise<void> {
    this.#early?.hurry();
    this.connect();
    const { end, remote } = this.#connection;
    if (end) throw new RestError(end);
    if (!remote) await this.#waiters.wait();
  }

  /** `era`: when it was called, where that is not now. See `PageIdentity.era`. */
  call(submission: Submission, listener: CallListener, era?: number): CallView {
    const call = this.#reads.call(submission, listener, era);
    this.connect();
    this.#sender.flushLater();
    this.#keepalive.startLater();
    return call;
  }

  /** Ends calls at once, and tells the worker to end their requests. */
  abort(ids: readonly number[]): void {
    const left = this.#reads.abort(ids);
    if (left.length > 0) this.#end(left);
  }

  /** Declares a loop, or declares it again under the same number; null where there will be no worker any more. */
  declare(declaration: LoopDeclaration, listener: LoopListener): LoopView | null {
    const { end } = this.#connection;
    if (end) {
      setTimeout(() => listener.tick(unanswered(end), true));
      return null;
    }
    const loop = this.#loops.add(declaration, listener);
    const { first } = loop;
    this.connect();
    this.#sender.declare(first);
    this.#keepalive.start();
    return loop;
  }

  setInterval(loop: number, interval: number): void {
    this.#loops.get(loop)?.setInterval(interval);
    this.#waking.now();
    this.#sender.tell({ kind: 'pace', loop, interval });
  }

  setInterest(loop: number, interest: EventInterest): void {
    const declared = this.#loops.get(loop);
    declared?.setInterest(interest);
    if (declared?.isLacking) this.connect();
    this.#sender.tell({ kind: 'interest', loop, interest });
  }

  /** Ends the request that a loop has out; the loop goes on. */
  cut(loop: number): void {
    this.#early?.cut(loop);
    this.#sender.tell({ kind: 'cut', loop });
  }

  stop(loop: number): void {
    this.#loops.remove(loop);
    this.#early?.stop(loop);
    this.#sender.tell({ kind: 'stop', loop });
  }

  /** Sends a request other than calls and loops; rejects where the worker does not answer in time. */
  request(command: Command): Promise<Reply> {
    const { identity } = this.signing;
    if (command.kind === 'sign-out') return this.#signOut(command);
    const isOfIdentity = OF_IDENTITY.includes(command.kind);
    return this.#requests.make(isOfIdentity ? { ...command, ...said(identity.epoch) } : command);
  }

  /**
   * Says of which identity the writes are that it may discard: of the one that is present as the app calls. A page that has just started
   * learns that from the worker's answer to its greeting.
   */
  #signOut(command: Extract<Command, { readonly kind: 'sign-out' }>): Promise<Reply> {
    const { identity } = this.signing;
    let epoch = identity.toldEpoch;
    return this.#requests.make(command, () => ({ ...command, ...said((epoch ??= identity.toldEpoch)) }));
  }

  /** Makes the worker end its work, so that a waiting one can replace it at once; does nothing where none waits. */
  drain(signal: AbortSignal): Promise<void> {
    return this.#requests.drain(signal);
  }

  close(): void {
    this.#early?.close();
    this.#sender.close();
    this.#deliveries.behind.close();
    this.#connection.happen('closed');
  }

  /** A worker has answered: calls of an earlier one are sent again. The greeting has declared the loops already. */
  #resume(taken: readonly number[], identity: Identity | null): void {
    this.signing.hear(identity);
    if (identity && this.signing.identity.isStrangerTo(identity)) return this.#connection.happen('lost');
    this.#early?.finish();
    if (!this.signing.identity.isOpen) this.#loops.hold();
    this.#calls.recover(taken);
    this.#waiters.resolve();
    this.#loops.welcome();
    // The greeting has told the worker already; the answer to this command says that it is stored.
    const { news } = this.presence;
    if (news.isNews) this.#sender.sayOnline(news);
    this.#sender.flush();
    this.#keepalive.renew();
    this.#outbox.live();
  }

  get #needed(): boolean {
    if (this.#waiters.size > 0 || this.#calls.size > 0) return true;
    return this.#loops.neededIn === 0 || this.#outbox.isDue();
  }

  /** The worker is dead and nothing needs one. */
  #rest(): void {
    this.#loops.clearRows();
    this.#waking.whenDue();
  }

  #giveUp(failure: Failure): void {
    this.#waiters.reject(new RestError(failure));
    // A later worker sends what an earlier one has queued: that must not be told as failed, unless the app ends the connection.
    const isWanted = this.#connection.end === null;
    this.#calls.failAll(
      failure,
      (id) => this.#early?.has(id) === true || (isWanted && this.#calls.mayBeQueued(id)),
    );
    this.#loops.tellOnce(unanswered(failure));
    this.#waking.later();
  }

  /** Tells the engines that these calls need no answer any more. */
  #end(ids: readonly number[]): void {
    this.#sender.tell({ kind: 'abort', ids });
    this.#abort(ids);
  }

  /** The same for engines that the page has left, or has not got yet. */
  #abort(ids: readonly number[]): void {
    this.#early?.abort(ids);
    this.#deliveries.behind.tell({ kind: 'abort', ids });
  }

  #expire(id: number): void {
    this.#end([id]);
    if (!this.#connection.remote && !this.#early?.has(id))
      this.#calls.settle(id, unanswered(NO_ANSWER), true);
  }
}
