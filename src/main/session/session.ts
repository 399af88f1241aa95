import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { PROTOCOL } from '../../shared/protocol.ts';
import type {
  Accepted,
  Addressee,
  Command,
  Delivery,
  LoopDeclaration,
  Reply,
  Submission,
  Tell,
} from '../../shared/protocol.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { RestError } from '../error.ts';
import type { Host } from '../hosts/host.ts';
import { Calls } from './calls.ts';
import type { CallListener } from './calls.ts';
import { within } from './deadline.ts';
import { Keepalive } from './keepalive.ts';
import { Line } from './line.ts';
import { DeclaredLoops } from './loops.ts';
import type { LoopListener } from './loops.ts';
import { next } from './states.ts';
import type { SessionEvent, SessionState } from './states.ts';
import { Waiters } from './waiters.ts';

/** Milliseconds that a worker has to answer a greeting before it is greeted afresh. */
const GREETING_DEADLINE = 3_000;

/** Milliseconds that a worker has to answer a command. */
const COMMAND_DEADLINE = 10_000;

/** Milliseconds until a page whose loops have no worker looks for one again. */
const RETRY = 5_000;

/** What a session asks of the page. */
export interface SessionPorts {
  /** Names the session: unguessable, made by the page. */
  readonly token: string;
  readonly now: () => number;
  /** Resolves when the named lock is free, that is when its holder is dead, or when the signal aborts. */
  readonly released: (lock: string, signal: AbortSignal) => Promise<void>;
  readonly changed: (state: SessionState) => void;
  readonly storage: (mode: 'indexeddb' | 'memory', reason: string) => void;
}

/**
 * A page's session with its worker, whichever life of it: connects, greets, sends calls and declares loops, notices
 * the worker's death and carries on with the next. `states.ts` has the table of what follows what.
 */
export class Session {
  readonly #host: Host;
  readonly #ports: SessionPorts;
  readonly #loops: DeclaredLoops;
  readonly #calls: Calls;
  readonly #keepalive: Keepalive;
  readonly #waiters = new Waiters();
  #state: SessionState = 'idle';
  #line: Line | null = null;
  #watch = new AbortController();
  #failure: Failure | null = null;

  constructor(host: Host, ports: SessionPorts) {
    this.#host = host;
    this.#ports = ports;
    this.#loops = new DeclaredLoops(ports.now);
    this.#calls = new Calls((id) => this.#expire(id));
    this.#keepalive = new Keepalive({
      needed: () => this.#state === 'live' && this.#loops.size + this.#calls.size > 0,
      stay: () => this.#control({ kind: 'stay' }),
      silent: () => this.#happen('lost'),
    });
  }

  connect(): void {
    this.#happen('needed');
  }

  /** Resolves once the worker has answered; rejects with the reason where there is none to be had. */
  async ready(): Promise<void> {
    this.connect();
    if (this.#state !== 'live') await this.#waiters.wait();
  }

  call(submission: Submission, listener: CallListener): void {
    this.#calls.add(submission, listener);
    this.#happen('needed');
    // The calls of one turn of the event loop travel together.
    queueMicrotask(() => this.#flush());
    this.#keepalive.startLater();
  }

  /** Ends calls here and now; the worker is told so that it ends their requests. */
  abort(ids: readonly number[]): void {
    const failure = { code: 'aborted', message: 'The call was aborted' } as const;
    for (const id of ids) this.#calls.settle(id, failed(failure));
    this.#tell({ kind: 'abort', ids });
  }

  declare(declaration: LoopDeclaration, listener: LoopListener): void {
    this.#loops.add(declaration, listener);
    this.#happen('needed');
    this.#tell({ kind: 'declare', declaration });
    this.#keepalive.start();
  }

  setInterval(loop: number, interval: number): void {
    this.#loops.setPace(loop, { kind: 'poll', interval });
    this.#tell({ kind: 'pace', loop, interval });
  }

  setTell(loop: number, tell: Tell): void {
    this.#loops.setTell(loop, tell);
    this.#tell({ kind: 'tell', loop, tell });
  }

  /** Ends the request that a loop has out; the loop goes on. */
  cut(loop: number): void {
    this.#tell({ kind: 'cut', loop });
  }

  stop(loop: number): void {
    this.#loops.remove(loop);
    this.#tell({ kind: 'stop', loop });
  }

  /** Asks the worker for something beside calls and loops; rejects where it does not answer in time. */
  async request(command: Command): Promise<Reply> {
    await this.ready();
    return within(COMMAND_DEADLINE, `The worker's answer to '${command.kind}'`, this.#control(command));
  }

  /** The page saw the network come back. */
  online(): void {
    this.#tell({ kind: 'online' });
  }

  /** The page goes away, for good or into the back/forward cache: its loops rest. */
  leave(): void {
    this.#tell({ kind: 'leave' });
  }

  /** The page is back. */
  show(): void {
    this.#happen('shown');
  }

  close(): void {
    this.leave();
    this.#failure = { code: 'not-connected', message: 'The connection was closed' };
    this.#happen('closed');
  }

  #happen(event: SessionEvent): void {
    const state = next(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.#enter(state);
    this.#ports.changed(state);
  }

  #enter(state: SessionState): void {
    switch (state) {
      case 'idle':
        return;
      case 'connecting':
        this.#watch.abort();
        void this.#connect();
        return;
      case 'greeting':
        void this.#greet();
        return;
      case 'live':
        this.#failure = null;
        this.#waiters.resolve();
        this.#keepalive.start();
        return;
      case 'unavailable':
        this.#giveUp();
        if (this.#loops.size > 0) setTimeout(() => this.#happen('needed'), RETRY);
        return;
      case 'closed':
        this.#watch.abort();
        this.#giveUp();
        this.#line?.close();
        return;
      default:
        unreachable(state);
    }
  }

  async #connect(): Promise<void> {
    try {
      await this.#host.ready();
      this.#happen('ready');
    } catch (error) {
      this.#refuse({
        code: 'not-connected',
        message: `There is no worker to send requests: ${String(error)}`,
      });
    }
  }

  /** Greets on a fresh line each time: a greeting to a dying worker is never answered, and the next life is new. */
  async #greet(): Promise<void> {
    this.#line?.close();
    const line = new Line(this.#host, this.#ports.token, (batch) => this.#deliver(batch));
    this.#line = line;
    const greeting = line.remote.greet({ protocol: PROTOCOL });
    const welcome = await within(GREETING_DEADLINE, 'The greeting', greeting).catch(() => null);
    if (line !== this.#line) return;
    if (welcome?.kind === 'welcome') this.#welcome(welcome);
    else if (welcome?.kind === 'refused') this.#refuse(welcome.failure);
    else this.#happen('lost');
  }

  #welcome({ lock, resumed }: Accepted): void {
    if (!resumed) this.#calls.recover();
    this.#happen('welcomed');
    if (lock !== null) void this.#watchOver(lock);
    for (const command of this.#loops.declareAgain()) this.#tell(command);
    this.#flush();
  }

  async #watchOver(lock: string): Promise<void> {
    const watch = new AbortController();
    this.#watch = watch;
    await this.#ports.released(lock, watch.signal);
    if (!watch.signal.aborted) this.#happen('lost');
  }

  #refuse(failure: Failure): void {
    this.#failure = failure;
    this.#happen('refused');
  }

  #giveUp(): void {
    const failure = this.#failure ?? NO_ANSWER;
    this.#waiters.reject(new RestError(failure));
    this.#calls.failAll(failure);
    this.#loops.tellAll(failed(failure));
  }

  #expire(id: number): void {
    this.#tell({ kind: 'abort', ids: [id] });
    if (this.#state !== 'live') this.#calls.settle(id, failed(NO_ANSWER));
  }

  #flush(): void {
    if (this.#state !== 'live') return;
    const batch = this.#calls.takeUnsent();
    if (batch.length > 0) this.#line?.remote.submit(batch).catch(() => this.#happen('lost'));
  }

  /** Says something to a live worker; to none it need not be said, since a greeting is followed by all that holds. */
  #tell(command: Command): void {
    if (this.#state === 'live') this.#control(command).catch(() => {});
  }

  #control(command: Command): Promise<Reply> {
    // What was called before this command is sent before it.
    this.#flush();
    return this.#line ? this.#line.remote.control(command) : Promise.reject(new RestError(NO_ANSWER));
  }

  #deliver(batch: readonly Delivery[]): void {
    for (const delivery of batch) this.#take(delivery);
  }

  #take(delivery: Delivery): void {
    switch (delivery.kind) {
      case 'settled':
        return this.#calls.settle(delivery.id, delivery.outcome);
      case 'sent':
        return this.#listener(delivery.to)?.sent(delivery.status, delivery.headers);
      case 'progress':
        return this.#listener(delivery.to)?.progress(delivery.progress);
      case 'ticking':
        return this.#loops.listener(delivery.loop)?.ticking();
      case 'tick':
        return this.#loops.tick(delivery.loop, delivery.outcome, delivery.nextIn);
      case 'storage':
        return this.#ports.storage(delivery.mode, delivery.reason);
      default:
        return unreachable(delivery);
    }
  }

  #listener(to: Addressee): CallListener | LoopListener | undefined {
    return 'id' in to ? this.#calls.listener(to.id) : this.#loops.listener(to.loop);
  }
}

const NO_ANSWER: Failure = {
  code: 'not-connected',
  message: 'There is no connection to the worker: it did not start or did not answer in time',
};

function failed(failure: Failure): Outcome {
  return { kind: 'failed', failure, answer: null, request: null };
}
