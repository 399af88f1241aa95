import { GREETING_DEADLINE, REPLACEMENT_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import { OLDEST_PROTOCOL, PROTOCOL } from '../../shared/protocol.ts';
import type { Delivered } from '../../shared/delivery.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Accepted, Draining, Greeting, Welcome } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/guard.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Endpoint, Host } from '../hosts/host.ts';
import { within } from '../deadline.ts';
import { Transport } from './transport.ts';
import type { RemoteWorker } from './transport.ts';
import { next } from './states.ts';
import type { SessionEvent, SessionState } from './states.ts';

/** Milliseconds before a drained worker's successor is greeted: a greeting would wake the old one, which blocks it. */
const INTERREGNUM = 1_000;

/** Everything that a page wants of its worker, whichever instance that is. */
export type DesiredState = Pick<
  Greeting,
  'calls' | 'loops' | 'hidden' | 'online' | 'lineage' | 'provides' | 'identity'
>;

export interface WorkerConnectionPorts {
  /** The session's unguessable name, made by the page. */
  readonly token: string;
  /** Resolves when the named lock is free, that is when its holder is dead, or when the signal aborts. */
  readonly released: (lock: string, signal: AbortSignal) => Promise<void>;
  /** Everything that the page wants of that engine; null while the page is away and greets nobody. */
  readonly desired: (endpoint: Endpoint) => DesiredState | null;
  /** A greeting is on its way that only names its loops: declare them one by one. */
  readonly later: () => void;
  /** Deliveries have come on a transport, which may be one that the page has left. */
  readonly deliver: (batch: readonly Delivered[], transport: Transport) => void;
  /** The page leaves this engine; the receiver closes the transport. `hasCalls`: the engine has the sent calls. */
  readonly left: (transport: Transport, hasCalls: boolean) => void;
  /** A worker has answered; `taken` are the calls that it has. `identity` is null where it knows of none yet. */
  readonly live: (taken: readonly number[], identity: Identity | null) => void;
  /** No worker can be had, for this reason. */
  readonly gone: (failure: Failure) => void;
  readonly changed: (state: SessionState) => void;
  /** True where anything needs the worker now; otherwise a dead one may rest. */
  readonly needed: () => boolean;
  readonly resting: () => void;
  /** The worker's death will not show by itself, although it has a lock. */
  readonly unwatched: () => void;
}

const ANSWERS: ReadonlySet<SessionEvent> = new Set(['welcomed', 'refused', 'draining']);

const CLOSED: Failure = { code: 'not-connected', message: 'The connection was closed' };

/**
 * Finds the worker, greets it, watches over it, and finds the next when it is dead. `states.ts` has the table of
 * states; here each state does its one thing when it is entered.
 */
export class WorkerConnection {
  readonly #host: Host;
  readonly #ports: WorkerConnectionPorts;
  #watched = false;
  #state: SessionState = 'idle';
  #transport: Transport | null = null;
  /** The transport before, until a worker has answered on this one: results of the last calls may still come on it. */
  #before: Transport | null = null;
  /** The endpoint of the engine that answered last. */
  #answeredAt: Endpoint | null = null;
  #watch = new AbortController();
  #dying: ReturnType<typeof setTimeout> | undefined;
  #refusal: Failure = CLOSED;
  /** Resolves in the task after the last refusal: a handler that calls again must not block the page. */
  #refused: Promise<void> | null = null;
  #greetings = 0;
  /** True where deliveries of the worker have not arrived. */
  #missed = false;
  /** The lock that became free last: it says nothing about a worker that answers all the same. */
  #freed: string | null = null;
  /** Names the worker instance that answered last; its sequences of deliveries begin with that. */
  #instance = '';
  /** The sequence in which a worker said last that it is to be replaced. */
  #drained = '';
  /** True where the desired state was refused in one message. */
  #isTooMuch = false;

  constructor(host: Host, ports: WorkerConnectionPorts) {
    this.#host = host;
    this.#ports = ports;
    host.watch({ replaced: () => this.#die(), moved: () => this.#move() });
  }

  /** The worker that answers now; null where there is none. */
  get remote(): RemoteWorker | null {
    return this.#state === 'live' ? (this.#transport?.remote ?? null) : null;
  }

  /**
   * The worker that hears the page: greeted, but perhaps still without an answer. Commands to it change the desired
   * state of its greeting. Without such a worker, changes are part of the next greeting.
   */
  get hearing(): RemoteWorker | null {
    return this.#state === 'greeting' ? (this.#transport?.remote ?? null) : this.remote;
  }

  /** The transport to the last worker, which may be dead; it is mute where a message would keep that from ending. */
  get last(): Transport | null {
    return this.#state === 'closed' ? null : this.#transport;
  }

  /** Why there will be no worker any more; null while there may be one. */
  get end(): Failure | null {
    return this.#state === 'closed' ? CLOSED : null;
  }

  /** True where the page will learn of the worker's death by itself. */
  get watched(): boolean {
    return this.#watched;
  }

  /** The worker that made these deliveries is to be replaced. It may be an earlier one than the page greets or has. */
  drain(sequence: string): void {
    this.#drained = sequence;
    if (this.#state === 'live' && sequence.startsWith(this.#instance)) this.happen('draining');
  }

  /** Greets the worker again, and says that some of its deliveries have not arrived. */
  resync(): void {
    this.#missed = true;
    if (this.#state === 'live') this.happen('lost');
  }

  happen(event: SessionEvent): void {
    const state = next(this.#state, event);
    if (this.#state === 'greeting' && ANSWERS.has(event)) this.#host.greeted(true);
    if (state === this.#state) return;
    this.#state = state;
    clearTimeout(this.#dying);
    this.#ports.changed(state);
    this.#enter(state);
  }

  #enter(state: SessionState): void {
    switch (state) {
      case 'idle':
        return this.#ports.resting();
      case 'live':
        return;
      case 'connecting':
        this.#watch.abort();
        return void this.#connect();
      case 'greeting':
        return void this.#greet();
      case 'replacing':
        this.#transport?.mute();
        return this.#dieIn(REPLACEMENT_DEADLINE);
      case 'unavailable':
        return this.#ports.gone(this.#refusal);
      case 'closed':
        this.#watch.abort();
        this.#transport?.close();
        this.#before?.close();
        return this.#ports.gone(CLOSED);
      default:
        return unreachable(state);
    }
  }

  async #connect(): Promise<void> {
    await this.#refused;
    try {
      await this.#host.ready();
      this.happen('ready');
    } catch (error) {
      this.#refuse({ code: 'not-connected', message: `There is no worker: ${String(error)}` });
    }
  }

  /** Greets on a new transport: a dying worker never answers a greeting, and the next instance is a new one. */
  async #greet(): Promise<void> {
    if (this.#before) this.#transport?.close();
    else this.#before = this.#transport;
    this.#before?.retire();
    this.#transport = null;
    const { endpoint } = this.#host;
    const desired = this.#ports.desired(endpoint);
    if (!desired) return;
    const transport: Transport = new Transport(endpoint, this.#ports.token, (batch) =>
      this.#ports.deliver(batch, transport),
    );
    this.#transport = transport;
    const greeting = this.#greetingOf(desired);
    const answer = transport.remote.greet(greeting);
    if (this.#isTooMuch) this.#ports.later();
    const welcome = await within(GREETING_DEADLINE, 'The greeting', answer).catch(refusedWelcome);
    // The worker has not heard this greeting, so it does not know of the missed deliveries.
    if (welcome?.kind !== 'welcome') this.#missed ||= greeting.resync;
    if (transport !== this.#transport) return;
    if (welcome?.kind === 'welcome') this.#welcome(welcome, endpoint);
    else if (welcome?.kind === 'refused') this.#hearRefusal(welcome.failure, greeting);
    else if (welcome?.kind === 'draining') this.#waitForNext(welcome.lock);
    else this.#hearNothing();
  }

  /** The greeting had no answer in time. If the state has changed meanwhile, that says nothing about the worker. */
  #hearNothing(): void {
    if (this.#state === 'greeting') this.#host.greeted(false);
    this.happen('lost');
  }

  #greetingOf(desired: DesiredState): Greeting {
    const resync = this.#missed;
    this.#missed = false;
    const { loops } = desired;
    return {
      ...desired,
      protocol: PROTOCOL,
      oldest: OLDEST_PROTOCOL,
      resync,
      number: (this.#greetings += 1),
      loops: this.#isTooMuch ? [] : loops,
      later: this.#isTooMuch ? loops.map(({ loop }) => loop) : [],
    };
  }

  /** One loop may be wrong, or all together too large: declares each by itself. */
  #hearRefusal(failure: Failure, { loops }: Greeting): void {
    this.#isTooMuch = loops.length > 0;
    return this.#isTooMuch ? void this.#greet() : this.#refuse(failure);
  }

  #welcome({ instance, lock, taken, identity = null }: Accepted, endpoint: Endpoint): void {
    if (this.#drained.startsWith(instance)) return this.#waitForNext(lock);
    this.#instance = instance;
    this.happen('welcomed');
    if (this.#state !== 'live') return;
    this.#before?.close();
    this.#before = null;
    this.#answeredAt = endpoint;
    this.#watched = lock !== null && lock !== this.#freed;
    if (lock !== null && this.#watched) void this.#watchOver(lock);
    this.#ports.live(taken, identity);
    // Deliveries were missed during the greeting, and the worker counts them as told.
    if (this.#missed) this.happen('lost');
  }

  /** The greeted worker is ending, so the page watches for its end. */
  #waitForNext(lock: Draining['lock']): void {
    this.happen('draining');
    if (lock !== null) void this.#watchOver(lock);
  }

  async #watchOver(lock: string): Promise<void> {
    const watch = new AbortController();
    this.#watch = watch;
    const isReleased = await this.#ports.released(lock, watch.signal).then(
      () => true,
      () => false,
    );
    if (watch.signal.aborted) return;
    if (!isReleased) {
      this.#watched = false;
      return this.#ports.unwatched();
    }
    this.#freed = lock;
    return this.#state === 'replacing' ? this.#dieIn(INTERREGNUM) : this.#die();
  }

  /** A service worker answers while the page ran the engine itself, which may still have calls. */
  #move(): void {
    const transport = this.#transport;
    // Where the page has not greeted its own engine, the transport still leads to the worker.
    if (transport && transport.endpoint !== this.#host.endpoint && this.#state !== 'closed') {
      this.#transport = null;
      this.#ports.left(transport, transport.endpoint === this.#answeredAt);
    }
    this.happen('moved');
  }

  #dieIn(milliseconds: number): void {
    clearTimeout(this.#dying);
    this.#dying = setTimeout(() => this.#die(), milliseconds);
  }

  /** The worker is dead or replaced: it will not answer a greeting. */
  #die(): void {
    this.happen(this.#state === 'greeting' || this.#ports.needed() ? 'lost' : 'slept');
  }

  #refuse(failure: Failure): void {
    this.#refusal = failure;
    this.#refused = new Promise((resolve) => setTimeout(resolve));
    this.happen('refused');
  }
}

/** A refused greeting says why; any other error means that the worker does not answer. */
function refusedWelcome(error: unknown): Welcome | null {
  const failure = refusalIn(error);
  return failure && { kind: 'refused', failure };
}
