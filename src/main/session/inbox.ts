import { ordinalOf, mayBeDone, unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type {
  Addressee,
  CredentialsWanted,
  Delivered,
  Delivery,
  OriginReport,
  SentBody,
  StorageOpened,
  DeliveryPosition,
} from '../../shared/delivery.ts';
import type { OutboxCounts, WriteReport } from '../../shared/outbox.ts';
import type { Command } from '../../shared/protocol.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Call, Calls } from './calls.ts';
import type { DeclaredLoop } from './loop.ts';
import type { DeclaredLoops } from './loops.ts';
import { isChunked, open } from './answers.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Transport } from './transport.ts';

/** A replaced worker may go on delivering for a while, beside the next. */
const WORKERS = 2;

/** Hears of the writes that wait. */
export interface OutboxNews {
  /** A write has come to another state. */
  readonly write: (write: WriteReport) => void;
  readonly counts: (counts: OutboxCounts) => void;
}

export interface InboxPorts {
  readonly storage: (mode: 'indexeddb' | 'memory', reason: string) => void;
  readonly opened: (storage: StorageOpened) => void;
  readonly origin: (report: OriginReport) => void;
  /** The worker needs what the page's provider gives. */
  readonly wanted: (wanted: CredentialsWanted) => void;
  /** Another identity has taken the place of the one before. */
  readonly identity: (identity: Identity) => void;
  /** The worker that made this sequence of deliveries is to be replaced. */
  readonly draining: (sequence: string) => void;
  readonly outbox: OutboxNews;
  /** Some deliveries have not arrived. */
  readonly missed: () => void;
}

/** Only loops get patches. */
const NOT_OPENED = unanswered({
  code: 'protocol',
  message: 'The worker answered a call with what has changed',
});

export class Inbox {
  readonly #calls: Calls;
  readonly #loops: DeclaredLoops;
  readonly #ports: InboxPorts;
  #sequence = new Sequence();
  #lineage: number;
  /** True once the page goes on with another engine. */
  #isLeft = false;

  /** `lineage` is the highest lineage ordinal that the page was told before. */
  constructor(calls: Calls, loops: DeclaredLoops, ports: InboxPorts, lineage = 0) {
    this.#lineage = lineage;
    this.#calls = calls;
    this.#loops = loops;
    this.#ports = ports;
  }

  get lineage(): number {
    return this.#lineage;
  }

  /** From now on only deliveries for calls count: the page has moved everything else to another engine. */
  leave(): void {
    this.#isLeft = true;
  }

  /** The page comes back to the engine of that inbox, whose deliveries go on where they were. */
  goOn(before: Inbox): void {
    this.#sequence = before.#sequence;
  }

  take(batch: readonly Delivered[]): void {
    for (const delivery of batch) {
      const turn = this.#sequence.take(delivery.place);
      if (turn === 'after-a-gap') this.#miss();
      if (turn !== 'repeated' && (!this.#isLeft || isOfCall(delivery))) this.#handOn(delivery);
    }
  }

  #handOn(delivery: Delivered): void {
    if ('outcome' in delivery) this.#note(delivery.outcome);
    switch (delivery.kind) {
      case 'settled':
        return this.#settle(delivery.id, delivery.outcome);
      case 'preliminary':
        return this.#tellFirst(delivery.id, delivery.outcome);
      case 'chunk':
        return this.#addressee(delivery.to)?.rows.take(delivery);
      case 'sent':
        return this.#addressee(delivery.to)?.listener.sent(delivery.status, delivery.headers);
      case 'progress':
        return this.#addressee(delivery.to)?.listener.progress(delivery.progress);
      case 'waiting':
        return 'id' in delivery.to ? this.#calls.hold(delivery.to.id, delivery.wait) : undefined;
      case 'ticking':
        return this.#loops.get(delivery.loop)?.listener.ticking();
      case 'tick':
        return this.#loops.get(delivery.loop)?.tick(delivery);
      case 'reset':
        return this.#loops.get(delivery.loop)?.reset(delivery.failure);
      case 'joined':
        return this.#loops.get(delivery.loop)?.join(delivery.position);
      case 'storage':
        return this.#ports.storage(delivery.mode, delivery.reason);
      case 'opened':
        return this.#ports.opened(delivery);
      case 'origin':
        return this.#ports.origin(delivery);
      case 'credentials-wanted':
        return this.#ports.wanted(delivery);
      case 'unqueued':
        return this.#calls.unqueued(delivery.id);
      case 'queued':
        return this.#calls.queued(delivery.id, delivery.write);
      case 'write':
        return this.#ports.outbox.write(delivery.write);
      case 'outbox':
        return this.#ports.outbox.counts(delivery.counts);
      case 'identity':
        return this.#ports.identity(delivery.identity);
      case 'draining':
        return this.#ports.draining(delivery.place.sequence);
      default:
        return unreachable(delivery);
    }
  }

  #note(outcome: Outcome<SentBody>): void {
    if (outcome.kind === 'answered' && outcome.revision)
      this.#lineage = Math.max(this.#lineage, ordinalOf(outcome.revision.lineage));
  }

  /** Told once, though a call may be sent to several workers. The call goes on where it cannot be opened. */
  #tellFirst(id: number, outcome: Outcome<SentBody>): void {
    const call = this.#calls.get(id);
    const opened = call && !call.isTold && open(outcome, null, call.rows);
    if (!opened || opened.kind === 'failed') return;
    call.isTold = true;
    call.listener.preliminary(opened);
  }

  #settle(id: number, outcome: Outcome<SentBody>): void {
    const rows = this.#calls.get(id)?.rows;
    const opened = rows && open(outcome, null, rows);
    if (rows && !opened && isChunked(outcome) && !this.#isLeft) this.#miss();
    else this.#calls.settle(id, opened ?? NOT_OPENED, mayBeDone(outcome));
  }

  /** A chunk may be among what is missing. */
  #miss(): void {
    // The page does not greet an engine that it has left.
    if (this.#isLeft) return;
    this.#calls.clearRows();
    this.#loops.clearRows();
    this.#ports.missed();
  }

  #addressee(to: Addressee): Call | DeclaredLoop | undefined {
    return 'id' in to ? this.#calls.get(to.id) : this.#loops.get(to.loop);
  }
}

function isOfCall(delivery: Delivery): boolean {
  // A call may wait for them.
  if (delivery.kind === 'credentials-wanted') return true;
  return 'id' in delivery || ('to' in delivery && 'id' in delivery.to);
}

/** Checks the order of each worker's deliveries. */
export class Sequence {
  /** How many deliveries of each sequence were taken; the sequence that delivered last is at the end. */
  readonly #taken = new Map<string, number>();

  /** Recognises a delivery that was taken before, and one before which some are missing. */
  take({ sequence, number }: DeliveryPosition): 'next' | 'repeated' | 'after-a-gap' {
    const taken = this.#taken.get(sequence) ?? 0;
    if (number <= taken) return 'repeated';
    this.#taken.delete(sequence);
    this.#taken.set(sequence, number);
    for (const [oldest] of this.#taken) if (this.#taken.size > WORKERS) this.#taken.delete(oldest);
    return number === taken + 1 ? 'next' : 'after-a-gap';
  }
}

interface Rest {
  readonly inbox: Inbox;
  readonly ids: readonly number[];
}

/** The engines that the page has left while they had its calls. They answer these calls and do nothing else. */
export class LeftBehind {
  readonly #calls: Calls;
  readonly #rests = new Map<Transport, Rest>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Takes over the transport and the inbox of an engine, and stops these loops there. */
  add(transport: Transport, inbox: Inbox, loops: readonly number[], hasCalls: boolean): void {
    for (const loop of loops) transport.tell({ kind: 'stop', loop });
    inbox.leave();
    this.#rests.set(transport, { inbox, ids: hasCalls ? this.#calls.stay() : [] });
    this.#sweepLater();
  }

  /** The page greets that engine again: its welcome says which calls it still has. Returns what it delivered to. */
  rejoin(endpoint: Endpoint): Inbox | null {
    let last: Inbox | null = null;
    for (const [transport, { ids, inbox }] of this.#rests) {
      if (transport.endpoint !== endpoint) continue;
      this.#rests.delete(transport);
      transport.close();
      this.#calls.goOn(ids);
      last = inbox;
    }
    return last;
  }

  /** True where the deliveries came from one of these engines. */
  take(batch: readonly Delivered[], transport: Transport): boolean {
    const rest = this.#rests.get(transport);
    if (!rest) return false;
    rest.inbox.take(batch);
    this.#sweepLater();
    return true;
  }

  tell(command: Command): void {
    for (const transport of this.#rests.keys()) transport.tell(command);
    this.#sweepLater();
  }

  close(): void {
    for (const transport of this.#rests.keys()) this.#end(transport);
  }

  /** In a later task: the answer that has just come must be acknowledged first. */
  #sweepLater(): void {
    if (this.#rests.size > 0) setTimeout(() => this.#sweep());
  }

  #sweep(): void {
    for (const [transport, { ids }] of this.#rests) {
      if (ids.some((id) => this.#calls.get(id))) continue;
      this.#end(transport);
    }
  }

  #end(transport: Transport): void {
    this.#rests.delete(transport);
    transport.tell({ kind: 'close' });
    transport.close();
  }
}

/** What engines deliver: the one that the page has, and those that it has left while they had its calls. */
export class Deliveries {
  readonly behind: LeftBehind;
  readonly #open: (lineage?: number) => Inbox;
  #inbox: Inbox;

  constructor(calls: Calls, loops: DeclaredLoops, ports: Omit<InboxPorts, 'opened'>) {
    const known = new KnownStorage();
    const opened = (storage: StorageOpened): void => {
      if (known.isLost(storage)) ports.storage('indexeddb', DELETED);
    };
    this.behind = new LeftBehind(calls);
    this.#open = (lineage) => new Inbox(calls, loops, { ...ports, opened }, lineage);
    this.#inbox = this.#open();
  }

  /** The highest ordinal of a lineage that the page was told. */
  get lineage(): number {
    return this.#inbox.lineage;
  }

  take(batch: readonly Delivered[], transport: Transport): void {
    if (!this.behind.take(batch, transport)) this.#inbox.take(batch);
  }

  /** The page greets an engine, perhaps one that it has left. */
  rejoin(endpoint: Endpoint): void {
    const before = this.behind.rejoin(endpoint);
    if (before) this.#inbox.goOn(before);
  }

  /** The page goes on with another engine; `loops` end with this one. */
  leave(transport: Transport, loops: readonly number[], hasCalls: boolean): void {
    this.behind.add(transport, this.#inbox, loops, hasCalls);
    this.#inbox = this.#open(this.#inbox.lineage);
  }
}

export const DELETED = 'What was stored has been deleted';

/** The database that the page knows of. It outlives worker instances, so it tells what none of them can know. */
export class KnownStorage {
  #known: StorageOpened | null = null;

  /** True if what was stored is gone: the database of that name was made anew since the page heard of it last. */
  isLost(opened: StorageOpened): boolean {
    const before = this.#known;
    this.#known = opened;
    return before !== null && before.name === opened.name && before.madeAt !== opened.madeAt;
  }
}
