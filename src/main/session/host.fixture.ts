import { expose, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { Channel } from '../../shared/channel.ts';
import type { Judge } from '../../shared/channel.ts';
import { isEnvelope } from '../../shared/guard.ts';
import { OLDEST_PROTOCOL, PROTOCOL, WORKER_CALLS } from '../../shared/protocol.ts';
import type { Delivered, Delivery, DeliveryPosition, SentBody } from '../../shared/delivery.ts';
import type {
  Command,
  Greeting,
  PageApi,
  Receipt,
  Refused,
  Reply,
  Submission,
  Welcome,
} from '../../shared/protocol.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Endpoint, Host, HostKind, HostWatcher, MovingHost } from '../hosts/host.ts';

/** One worker instance that does what a test says, with Comlink on its end of the transport. */
export class Life {
  readonly instance: string;
  readonly lock: string | null;
  /** Answers no greeting. */
  mute = false;
  /** Answers only scripted commands. */
  deaf = false;
  /** Takes no calls: another worker is to replace it. */
  drained = false;
  /** Who is signed in, as its welcome says. */
  identity: Identity | null = null;
  protocol: number = PROTOCOL;
  /** Called as a greeting comes, before it is answered. */
  hears: () => void = () => {};
  /** The page's greetings. */
  readonly greeted: Greeting[] = [];
  /** How many messages have come, including acknowledgements. */
  messages = 0;
  readonly submitted: Submission[] = [];
  /** Each batch as ids. */
  readonly batches: number[][] = [];
  readonly commands: Command[] = [];
  /** Everything that came, in order: submissions by their ids, commands by their kind. */
  readonly order: string[] = [];
  /** Refuses calls; returns the reason. */
  judge: Judge = () => null;
  /** Refuses single calls of a batch; returns the reason. */
  refuses: (id: number) => Failure | null = () => null;
  /** The reply to control calls. */
  reply: Reply = { kind: 'done' };
  /** The same, where it depends on the command. */
  replyTo: (command: Command) => Reply | Promise<Reply> = () => this.reply;
  readonly dead: Promise<void>;
  die: () => void = () => {};
  alive = true;
  readonly #channel: Channel;
  readonly #page: Remote<PageApi>;
  readonly #answered = new Set<number>();
  #last: DeliveryPosition;

  constructor(instance: string, send: (message: unknown) => void, lock = true) {
    this.instance = instance;
    this.#last = { sequence: instance, number: 0 };
    this.lock = lock ? `lock ${instance}` : null;
    this.dead = new Promise((resolve) => {
      this.die = () => {
        this.alive = false;
        this.#channel.close();
        resolve();
      };
    });
    this.#channel = new Channel(WORKER_CALLS, send, (call) => this.judge(call));
    expose(
      {
        greet: (greeting: Greeting) => this.#greet(greeting),
        submit: (batch: readonly Submission[]) => this.#submit(batch),
        control: (command: Command) => this.#control(command),
      },
      this.#channel.incoming,
    );
    this.#page = wrap<PageApi>(this.#channel.outgoing);
  }

  /** The deliveries that go with the next receipts. */
  travelling: readonly Delivered[] | null = null;

  receive(message: unknown): void {
    this.messages += 1;
    this.#channel.receive(message);
  }

  /** Each delivery has the given position, or the one after the last. */
  deliver(...batch: readonly (Delivery | Delivered)[]): Promise<void> {
    return this.#page.deliver(batch.map((each) => this.#place(each)));
  }

  #place(delivery: Delivery | Delivered): Delivered {
    const { sequence, number } = this.#last;
    this.#last = 'place' in delivery ? delivery.place : { sequence, number: number + 1 };
    return { ...delivery, place: this.#last };
  }

  settle(id: number, outcome: Outcome<SentBody>): Promise<void> {
    this.#answered.add(id);
    return this.deliver({ kind: 'settled', id, outcome });
  }

  /** The commands of one kind. */
  told<K extends Command['kind']>(kind: K): Extract<Command, { readonly kind: K }>[] {
    return this.commands.filter((command): command is Extract<Command, { readonly kind: K }> =>
      isKind(command, kind),
    );
  }

  /** Tells the page that another worker is to replace this one; the page acknowledges nothing after that. */
  async drain(): Promise<void> {
    this.drained = true;
    void this.deliver({ kind: 'draining' });
    await flush();
  }

  /** Answers a call, but the answer is lost on its way. */
  answerInVain(id: number): void {
    this.#answered.add(id);
  }

  get greetings(): number {
    return this.greeted.length;
  }

  /** For each greeting, true where the page said that it has missed something. */
  get resyncs(): boolean[] {
    return this.greeted.map(({ resync }) => resync);
  }

  /** Loops that a greeting declares count like those declared in a message of their own. */
  async #greet(greeting: Greeting): Promise<Welcome> {
    const { resync, loops } = greeting;
    this.greeted.push(greeting);
    this.hears();
    this.order.push('greet');
    for (const declaration of loops) this.commands.push({ kind: 'declare', declaration });
    const { instance, lock, protocol, identity } = this;
    if (this.mute) return new Promise(() => {});
    if (protocol < OLDEST_PROTOCOL || protocol > PROTOCOL)
      return { kind: 'refused', failure: { code: 'protocol', message: 'too old' } };
    if (this.drained) return { kind: 'draining', lock };
    const ids = this.submitted.map(({ id }) => id);
    const taken = resync ? ids.filter((id) => !this.#answered.has(id)) : ids;
    return { kind: 'welcome', protocol, instance, lock, taken, ...(identity && { identity }) };
  }

  #submit(batch: readonly Submission[]): Receipt {
    const ids = batch.map(({ id }) => id);
    const stranger = this.greetings === 0;
    if (stranger || this.drained) return { declined: ids, stranger };
    this.order.push(`submit ${ids.join(' ')}`);
    this.batches.push(ids);
    this.submitted.push(...batch.filter(({ id }) => this.refuses(id) === null));
    const refused = ids.flatMap((id): Refused[] => {
      const failure = this.refuses(id);
      return failure ? [{ id, failure }] : [];
    });
    const { travelling: deliveries } = this;
    return { declined: [], stranger, refused, ...(deliveries && { deliveries }) };
  }

  async #control(command: Command): Promise<Reply> {
    this.order.push(command.kind);
    this.commands.push(command);
    if (this.deaf || command.kind === 'keepalive') return new Promise(() => {});
    return this.replyTo(command);
  }
}

function isKind(command: Command, kind: Command['kind']): boolean {
  return command.kind === kind;
}

/** A host whose workers begin and die as a test says. */
export class FakeHost implements MovingHost, Endpoint {
  kind: HostKind = 'service-worker';
  /** True where a worker can be had. */
  available = true;
  /** How often a worker was searched for. */
  searches = 0;
  life: Life;
  /** How often the page waits for this instance's lock. */
  watchers = 0;
  readonly #listeners = new Set<(data: unknown) => void>();
  #lives = 0;
  /** The session that posted last: there is only one. */
  #session = '';

  constructor(lock = true) {
    this.life = this.revive(lock);
  }

  reason: string | null = null;
  close(): void {}

  /** Where the page greets it. */
  endpoint: FakeHost = this;

  ready: () => Promise<void> = async () => {
    this.searches += 1;
    if (!this.available) throw new Error('it is not allowed here');
  };

  post(data: unknown): void {
    const clone: unknown = structuredClone(data);
    const { life } = this;
    if (!isEnvelope(clone)) return;
    this.#session = clone.offstage;
    setImmediate(() => life.receive(clone.message));
  }

  listen(receive: (data: unknown) => boolean): () => void {
    this.#listeners.add(receive);
    return () => this.#listeners.delete(receive);
  }

  waiting = false;

  /** The fate of each greeting. */
  readonly greetings: ('answered' | 'unanswered')[] = [];

  greeted(answered: boolean): void {
    this.greetings.push(answered ? 'answered' : 'unanswered');
  }

  readonly #watchers = new Set<HostWatcher>();

  /** Decides where the engine runs. */
  decide(kind: HostKind, reason: string | null): void {
    this.kind = kind;
    this.reason = reason;
    for (const watcher of this.#watchers) watcher.decided?.();
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** A newer worker has begun to wait, or waits no more. */
  wait(waiting: boolean): void {
    this.waiting = waiting;
    for (const watcher of this.#watchers) watcher.waiting?.();
  }

  async skipWaiting(): Promise<void> {
    this.wait(false);
    await this.replace();
  }

  /** The page greets the engine in that host from now on. */
  async move(to: FakeHost): Promise<void> {
    this.endpoint = to;
    for (const { moved } of this.#watchers) moved?.();
    await flush();
  }

  /** Another worker replaces this one. */
  async replace(): Promise<Life> {
    const next = this.revive(this.life.lock !== null);
    this.replaced();
    await flush();
    return next;
  }

  /** Makes it look as if another worker had replaced this one. */
  replaced(): void {
    for (const { replaced } of this.#watchers) replaced?.();
  }

  /** Posts a message to the page, of its own session or another. */
  say(session: string, message: unknown): void {
    for (const receive of this.#listeners) receive({ offstage: session, message });
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Replaces the instance by the next. */
  revive(lock = true): Life {
    this.#lives += 1;
    this.life = new Life(`life ${this.#lives}`, (message) => this.#send(message), lock);
    return this.life;
  }

  /** The worker dies, and its lock is free; the next message wakes a new one. */
  async kill(): Promise<Life> {
    const { life } = this;
    const next = this.revive();
    life.die();
    await flush();
    return next;
  }

  released = async (lock: string, signal: AbortSignal): Promise<void> => {
    const { life } = this.endpoint;
    if (life.lock !== lock) return;
    this.watchers += 1;
    signal.addEventListener('abort', () => (this.watchers -= 1));
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
    });
    await Promise.race([life.dead, aborted, this.#falseAlarm]);
  };

  /** Makes the lock seem free although the worker lives. */
  alarm: () => void = () => {};
  readonly #falseAlarm: Promise<void> = new Promise((resolve) => {
    this.alarm = resolve;
  });

  #send(message: unknown): void {
    const data: unknown = structuredClone({ offstage: this.#session, message });
    setImmediate(() => {
      for (const receive of this.#listeners) receive(data);
    });
  }
}

/** Runs everything that is ready to run; fake timers stand still. */
export async function flush(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A host that is ready: messages to it go to `post`, messages from it to `listeners`. */
export function hostOf(listeners: Set<(data: unknown) => void>, post: Endpoint['post']): Host {
  return {
    endpoint: {
      listen: (receive) => {
        listeners.add(receive);
        return () => listeners.delete(receive);
      },
      post,
    },
    kind: 'service-worker',
    waiting: false,
    ready: async () => {},
    greeted: () => {},
    watch: () => () => {},
    skipWaiting: async () => {},
  };
}
