import { expose, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { Channel } from '../shared/channel.ts';
import type { Source } from '../shared/engine.ts';
import type { Envelope } from '../shared/guard.ts';
import { isEnvelope } from '../shared/guard.ts';
import { greetingOf } from '../shared/messages.fixture.ts';
import { PAGE_CALLS, PROTOCOL } from '../shared/protocol.ts';
import type { Delivered, Delivery, StorageOpened } from '../shared/delivery.ts';
import type {
  Greeting,
  LoopDeclaration,
  Receipt,
  Submission,
  Welcome,
  WorkerApi,
} from '../shared/protocol.ts';
import { invocation } from './cache/invocation.fixture.ts';
import type { Wish } from './cache/invocation.fixture.ts';
import { declaration, SILENT } from './loops/stage.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** Where a tab's messages go: to a house, or to whatever stands for one. */
export type Receive = (source: Source, envelope: Envelope) => Promise<void>;

/** A page's end of the line, with Comlink as the library has it: one session of one client. */
export class Tab implements Source {
  readonly id: string;
  readonly type = 'window' as const;
  readonly url = 'https://page.example/';
  readonly frameType = 'top-level';
  readonly session: string;
  /** What the worker has delivered, in order, and the place of each. What it says of origins and storage stands apart. */
  readonly deliveries: Delivery[] = [];
  readonly opened: StorageOpened[] = [];
  readonly origins: (readonly [origin: string, status: string])[] = [];
  readonly places: Delivered['place'][] = [];
  /** The events that are being held for this tab's messages. */
  held = 0;
  /** Whether messages reach the page: not in the back/forward cache. */
  reachable = true;
  /** What a listener of the page does with each delivery. */
  listener: (delivery: Delivery) => void = () => {};
  readonly remote: Remote<WorkerApi>;
  readonly #receive: Receive;
  readonly #channel: Channel;
  /** The greeting that comes next says this beside what the tab has asked for. */
  wish: Partial<Greeting> = {};
  readonly #calls = new Set<number>();
  readonly #loops = new Map<number, LoopDeclaration>();
  #greetings = 0;

  constructor(receive: Receive, id = 'client 1', session = 'session 1') {
    this.#receive = receive;
    this.id = id;
    this.session = session;
    this.#channel = new Channel(PAGE_CALLS, (message) => void this.post({ offstage: session, message }));
    expose({ deliver: (batch: readonly Delivered[]) => this.#take(batch) }, this.#channel.incoming);
    this.remote = wrap<WorkerApi>(this.#channel.outgoing);
  }

  /** Posts a message as it is, and holds its event as a service worker does. */
  async post(data: unknown): Promise<void> {
    const clone: unknown = structuredClone(data);
    if (!isEnvelope(clone)) return;
    this.held += 1;
    await this.#receive(this, clone);
    this.held -= 1;
  }

  postMessage(data: unknown, transfer: readonly object[] = []): void {
    const clone: unknown = structuredClone(data, {
      transfer: transfer.filter((each) => each instanceof ArrayBuffer),
    });
    if (!this.reachable || !isEnvelope(clone) || clone.offstage !== this.session) return;
    setImmediate(() => this.#channel.receive(clone.message));
  }

  /** Greets with the calls and loops that it has asked for and heard no end of. */
  greet(protocol: number = PROTOCOL): Promise<Welcome> {
    this.#greetings += 1;
    const greeting = greetingOf({
      protocol,
      oldest: protocol,
      number: this.#greetings,
      calls: [...this.#calls],
      loops: [...this.#loops.values()],
      ...this.wish,
    });
    return this.remote.greet(greeting);
  }

  /** Greets unless it has. */
  meet(): void {
    if (this.#greetings === 0) void this.greet();
  }

  /** Submits, after a greeting where there was none. */
  submit(...ids: readonly number[]): Promise<Receipt | null> {
    this.meet();
    return this.submitAll(ids.map((id) => submission(id)));
  }

  /** Resolves once the worker has begun: with the receipt, or null where that is still to bring an answer along. */
  submitAll(batch: readonly Submission[]): Promise<Receipt | null> {
    for (const { id } of batch) this.#calls.add(id);
    return Promise.race([this.#submit(batch), settle().then(() => null)]);
  }

  async declare(wish: Partial<LoopDeclaration> = {}): Promise<void> {
    this.meet();
    const declared = declaration(wish);
    this.#loops.set(declared.loop, declared);
    await this.remote.control({ kind: 'declare', declaration: declared });
  }

  async #submit(batch: readonly Submission[]): Promise<Receipt> {
    const { deliveries, ...receipt } = await this.remote.submit(batch);
    if (deliveries) this.#take(deliveries);
    return receipt;
  }

  /** The ids that were told as settled, in order. */
  get settled(): number[] {
    return this.deliveries.flatMap((each) => (each.kind === 'settled' ? [each.id] : []));
  }

  /** A page takes nothing twice. */
  #has({ sequence, number }: Delivered['place']): boolean {
    const last = this.places.findLast((each) => each.sequence === sequence);
    return !!last && number <= last.number;
  }

  #take(batch: readonly Delivered[]): void {
    for (const { place, ...delivery } of batch) {
      if (this.#has(place)) continue;
      if (delivery.kind === 'opened') this.opened.push(delivery);
      else if (delivery.kind === 'origin') this.origins.push([delivery.origin, delivery.status]);
      else this.deliveries.push(delivery);
      if (delivery.kind === 'settled') this.#calls.delete(delivery.id);
      this.places.push(place);
      this.listener(delivery);
    }
  }
}

export function submission(id: number, wish: Wish = {}): Submission {
  return { id, invocation: invocation(wish), interest: SILENT };
}
