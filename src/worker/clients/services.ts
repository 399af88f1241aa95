import type { CredentialsReply } from '../../shared/credentials.ts';
import type { EarlyAnswer } from '../../shared/early.ts';
import type { Claim, Identity } from '../../shared/identity.ts';
import type { Inspection, StoredAnswer, StoredPage } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Decided, Decision, OutboxPage, Ticket, WriteReport } from '../../shared/outbox.ts';
import type { Answered } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import type { Delivered, Delivery } from '../../shared/delivery.ts';
import type { Greeting, LoopDeclaration, EventInterest, Submission, Welcome } from '../../shared/protocol.ts';
import type { Deliveries, CallRequest } from '../contracts/engine-request.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { SUCCESSOR_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import { IDENTITY_CHANGED } from '../../shared/identity.ts';
import { PROTOCOL } from '../../shared/protocol.ts';

/** What a page may ask of the other modules. A page is named by its session. */
export interface Services {
  readonly instance: string;
  /** The Web Lock that this instance holds until it ends, once it is granted; null where there are no locks. */
  readonly lock: Promise<string | null>;
  readonly engine: EngineService;
  /** Resolves when the answers that were told before they were stored are stored. */
  readonly settled: () => Promise<void>;
  readonly loops: LoopService;
  readonly outbox: OutboxService;
  readonly identity: IdentityService;
  readonly hub: HubService;
  readonly credentials: CredentialsService;
  /**
   * A page has been greeted, so it is told what all pages know. `isBack`: it has greeted a worker before. Resolves when its
   * event need not be held any more.
   */
  readonly introduce: (page: string, isBack: boolean) => Promise<void>;
  /** A page knows a lineage with this ordinal. */
  readonly heed: (lineage: number) => void;
  readonly clearCache: () => Promise<void>;
  readonly stored: StoredService;
  readonly inspect: () => Promise<Inspection>;
  /** Resolves after so many milliseconds. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** What is stored, as data. */
interface StoredService {
  list(after: string | null): Promise<StoredPage>;
  read(url: string): Promise<StoredAnswer | null>;
  remove(url: string): Promise<void>;
}

interface CredentialsService {
  /** True where the page is no stranger, and provides for any origin. */
  setOrigins(page: string, origins: readonly string[]): boolean;
  /** The page is a stranger no more. True where it provides for any origin. */
  recognized(page: string): boolean;
  setHidden(page: string, hidden: boolean): void;
  leave(page: string): void;
  /** False for a stranger, whose answer counts for nothing. */
  hear(page: string, question: string, reply: CredentialsReply): boolean;
}

/** No method rejects. */
interface EngineService {
  call(request: CallRequest): Promise<ReadOutcome>;
  part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer>;
  adopt(answers: readonly EarlyAnswer[]): Promise<void>;
}

interface OutboxService {
  /** Resolves once it lies on the disk, with the write; rejects where it cannot be stored. */
  add(ticket: Ticket, invocation: Invocation): Promise<WriteReport>;
  /**
   * Has a call sent like any other that could not be queued: under its key, with the version that it changes, and after the one before it
   * to the same URL. Never rejects.
   */
  sendUnqueued(
    ticket: Ticket,
    invocation: Invocation,
    send: (invocation: Invocation) => Promise<ReadOutcome>,
    signal: AbortSignal,
  ): Promise<ReadOutcome>;
  /** A page is for the identity: it is told what waits. `isBack`: also what has ended lately. Never rejects. */
  introduce(page: string, isBack: boolean): Promise<void>;
  list(after: number | null, entries: readonly string[] | null, isBrief: boolean): Promise<OutboxPage>;
  /**
   * The same call with the ids that servers have given to what queued writes have created; a failure where these cannot be read,
   * and for a write where one has none. Never rejects.
   */
  named(invocation: Invocation): Promise<Invocation | Failure>;
  /** It is not sent from here on, and discarded as soon as the database lets it. Never rejects. */
  withdraw(write: Pick<WriteReport, 'entry'>): Promise<void>;
  /** Sent past the queue, it has succeeded: it is not sent from here on, and done as soon as the database lets it. Never rejects. */
  succeeded(ticket: Ticket, invocation: Invocation, outcome: Answered): Promise<void>;
  /** Resolves once that is on the disk; rejects where the database fails. */
  decide(entry: string, decision: Decision): Promise<Decided>;
  /** Another engine goes on from here: nothing is sent any more, and no event is held. */
  rest(): void;
  /** Removes all that waits. Rejects where that fails. */
  discardAll(): Promise<void>;
  /** True where writes of that lane wait, and where nobody can read that now. Never rejects. */
  mayWait(lane: string): Promise<boolean>;
  /** A call is sent past the queue. The writes that wait in its lane are not sent until the returned function is called. */
  hold(ticket: Ticket): () => void;
  online(): void;
  /** There are other credentials. */
  renewed(): void;
  /** Resolves when nothing can be sent for a while, or after the longest time for which an event should be held. */
  idle(): Promise<void>;
}

interface IdentityService {
  /** Resolves when who is signed in is known and settled; null if it is. */
  readonly busy: Promise<void> | null;
  /** Null where nothing is known yet: then pages count as nobody's. */
  readonly present: Identity | null;
  /** True if what a page says in that epoch counts; undefined for a page that has heard of none. */
  isPresent(epoch: number | undefined): boolean;
  /** True if what a page with that claim wants is for the present identity. */
  recognizes(claim: Claim | undefined): boolean;
  /** Learns what a page knows and this worker instance does not. Null where there is nothing to learn. */
  heed(claim: Claim | undefined): Promise<void> | null;
  /** Null signs out. A failure where that counts for this worker instance alone, since it cannot be stored. */
  sign(name: string | null): Promise<Identity | Failure>;
}

interface LoopService {
  greet(page: string, wish: Pick<Greeting, 'loops' | 'later' | 'hidden'>): void;
  declare(page: string, declaration: LoopDeclaration): void;
  stop(page: string, loop: number): void;
  stopAll(page: string): void;
  setHidden(page: string, hidden: boolean): void;
  find(page: string, loop: number): RunningLoop | undefined;
  /** The network is back. Resolves with whether that is stored; never rejects. */
  wakeUp(): Promise<boolean>;
}

interface RunningLoop {
  cut(): void;
  setInterval(interval: number): void;
  setInterest(tell: EventInterest): void;
}

interface DeliveryLine {
  /** Resolves when the page has taken it. */
  readonly deliver: (batch: readonly Delivered[], transferred: readonly ArrayBuffer[]) => Promise<void>;
  readonly tell: (batch: readonly Delivered[]) => void;
}

interface HubService {
  open(page: string, line: DeliveryLine): void;
  /** Whether the page has said that it is for the present identity. */
  recognize(page: string, isKnown: boolean): void;
  setHidden(page: string, hidden: boolean): void;
  /** Returns the calls whose answers cannot be sent again. */
  resend(page: string): readonly number[];
  close(page: string): void;
  /** Drops what the page was to be told. */
  renew(page: string): void;
  /** `taken` is called when the page has it. */
  tell(page: string, delivery: Delivery, taken?: () => void): void;
  /** The next small deliveries go by the carrier: see `Mailbox.carry`. */
  carry(page: string, carrier: (batch: readonly Delivered[]) => void): (() => boolean) | null;
  /** Tells the answer to a call: see `Hub.publish`. `url` is what was asked; null where nothing was. */
  publish(
    page: string,
    make: () => Deliveries,
    about: { readonly kind: 'answer'; readonly url: string | null; readonly name: string | null },
    read?: () => void,
  ): void;
  flush(page: string): Promise<void>;
}

/** Callbacks to run at shutdown; after shutdown they are ignored. */
export interface DrainPorts {
  /** Ends what can be asked again. Resolves when the rest is answered and told. */
  readonly empty: () => Promise<void>;
  /** This worker instance is over, though the worker runs on. */
  readonly retired: () => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The end of one worker instance. It begins once, when a page has a newer worker take over. */
export class Drain {
  readonly #ports: DrainPorts;
  readonly #begun = new AbortController();
  #done: Promise<void> | null = null;

  constructor(ports: DrainPorts) {
    this.#ports = ports;
  }

  /** Aborts when the drain begins. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  get begun(): boolean {
    return this.signal.aborted;
  }

  /** Resolves when nothing holds the worker any more. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    this.#begun.abort();
    await this.#ports.empty();
    void this.#outlive();
  }

  async #outlive(): Promise<void> {
    await this.#ports.sleep(SUCCESSOR_DEADLINE);
    this.#ports.retired();
  }
}

/** The answer to a greeting, once this instance's lock is granted. */
export async function welcome(
  { instance, lock, identity }: Pick<Services, 'instance' | 'lock' | 'identity'>,
  calls: { readonly taken: readonly number[] },
  protocol: number,
): Promise<Welcome> {
  return {
    kind: 'welcome',
    protocol,
    instance,
    lock: await lock,
    taken: calls.taken,
    identity: identity.present,
  };
}

export function speaksOther(spoken: number): Welcome {
  const message = `The page speaks protocol ${spoken}, the worker ${PROTOCOL}: load the page again`;
  return { kind: 'refused', failure: { code: 'protocol', message } };
}

/** The page does not know who is signed in now: it wanted all this under another identity, so all of it ends. */
export function ofNothing(greeting: Greeting): Greeting {
  return { ...greeting, calls: [], loops: [], later: [] };
}

/** This worker instance ends for a newer one. */
export async function draining({ lock }: Pick<Services, 'lock'>): Promise<Welcome> {
  return { kind: 'draining', lock: await lock };
}

/** Why a call that was made for another identity is refused; null where it is for the present one. */
export function refuseOther(
  identity: Pick<Services['identity'], 'isPresent'>,
  { epoch }: Submission,
): Failure | null {
  return identity.isPresent(epoch) ? null : IDENTITY_CHANGED;
}
