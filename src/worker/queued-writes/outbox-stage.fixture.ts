import type { OutboxPage, Ticket, WriteReport } from '../../shared/outbox.ts';
import type { Reply, Submission } from '../../shared/protocol.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import type { Seen, Serve } from '../platform/system.fixture.ts';
import type { SparePlace } from '../platform/system.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission, Tab } from '../tab.fixture.ts';

/** A browser in which one worker instance follows the other, and a server that performs each key once. */
export class OutboxStage {
  indexedDB: IDBFactory | null;
  /** Another place for databases, which only some browsers have. */
  readonly #spare: SparePlace | null;
  world: FakeSystem = new FakeSystem();
  /** The texts that the server has performed, in order. */
  readonly performed: string[] = [];
  readonly #keys = new Set<string>();
  /** What the server says instead of performing it. */
  answer: (seen: Seen) => Response | Promise<Response> | null = () => null;
  /** The browser wakes the worker for what waits. */
  wake: () => Promise<boolean> = async () => true;
  #receive: ConstructorParameters<typeof Tab>[0] = async () => {};
  #tabs = 0;
  #lives = 0;

  constructor(indexedDB: IDBFactory | null = new IDBFactory(), spare: SparePlace | null = null) {
    this.indexedDB = indexedDB;
    this.#spare = spare;
    this.restart();
  }

  /** The worker dies, whatever it is doing, and another instance begins. */
  restart(): void {
    const { clock } = this.world;
    // What is left of it reaches nobody any more.
    this.world.serve = () => new Promise(() => {});
    this.world = Object.assign(new FakeSystem(), { indexedDB: this.indexedDB, spare: this.#spare, clock });
    // No two lives make the same names.
    this.#lives += 1;
    const [life, { uuid }] = [this.#lives, this.world];
    Object.assign(this.world, { uuid: () => `life ${life} ${uuid()}` });
    this.world.serve = this.#serve;
    this.world.grant();
    const house = houseOf(this.world);
    this.wake = () => house.wake();
    this.#receive = (source, envelope) => house.receive(source, envelope);
  }

  /** The browser ends, finds its databases damaged as it starts, and deletes them. */
  loseDatabases(): void {
    // It takes a while to start.
    this.world.clock.set(1_000);
    this.indexedDB = new IDBFactory();
    this.restart();
  }

  open(): OutboxTab {
    this.#tabs += 1;
    return new OutboxTab((...message) => this.#receive(...message), `client ${this.#tabs}`);
  }

  /** Resolves once so many attempts of the first write have failed. */
  async failed(tab: OutboxTab, attempts: number): Promise<void> {
    for (let look = 0; look < 200; look += 1) {
      const [first] = await tab.list();
      if (first?.attempts === attempts && first.state === 'queued') return;
      await settle();
    }
    throw new Error('It has not failed so often');
  }

  readonly #serve: Serve = async (seen) => {
    const answer = this.answer(seen);
    return answer ? await answer : this.perform(seen);
  };

  /** Performs it, unless it has performed that key. */
  perform({ init, headers, url }: Seen): Response {
    const key = headers.get('Idempotency-Key') ?? '';
    if (key !== '' && this.#keys.has(key)) return json({ again: true });
    this.#keys.add(key);
    this.performed.push(typeof init.body === 'string' && init.body !== '' ? init.body : url);
    return json({ done: this.performed.length }, {}, 201);
  }
}

/** A tab that queues writes. */
export class OutboxTab extends Tab {
  epoch: number | undefined;
  /** The calls that the receipt refused. */
  readonly refused: number[] = [];

  /** Submits a write with the ticket of that name; resolves once the worker has queued, answered or refused it. */
  async queue(id: number, text: string, wish: Wish = {}, differing: Partial<Ticket> = {}): Promise<Ticket> {
    this.meet();
    const ticket = { entry: `entry-${id}`, key: `key-${id}`, resource: 'photos', action: 'add', lane: 'a' };
    const given = { ...ticket, ...differing };
    const body = { kind: 'text', text } as const;
    const asked = { method: 'POST', template: '/photos', body, ...wish };
    const call: Submission = { ...submission(id, asked), ticket: given };
    const receipt = await this.submitAll([this.epoch === undefined ? call : { ...call, epoch: this.epoch }]);
    if (receipt?.refused) this.refused.push(id);
    await until(() => [this.queued, this.settled, this.refused].some((ids) => ids.includes(id)));
    return given;
  }

  /** Makes a call that is not queued; resolves once that has ended. */
  async call(id: number, wish: Wish = { template: '/photo/7' }): Promise<void> {
    await this.submitAll([submission(id, wish)]);
    await until(() => this.settled.includes(id));
  }

  get queued(): number[] {
    return this.deliveries.flatMap((each) => (each.kind === 'queued' ? [each.id] : []));
  }

  /** What was told of writes, in order: their names and states. */
  get told(): string[] {
    return this.writes.map(({ entry, state }) => `${entry} ${state}`);
  }

  get writes(): WriteReport[] {
    return this.deliveries.flatMap((each) => (each.kind === 'write' ? [each.write] : []));
  }

  get waiting(): number | null {
    return this.deliveries.findLast((each) => each.kind === 'outbox')?.counts.waiting ?? null;
  }

  /** How often the worker has said that it has got back what was lost. */
  get restored(): number | undefined {
    return this.deliveries.findLast((each) => each.kind === 'outbox')?.counts.restored;
  }

  async list(): Promise<OutboxPage['entries']> {
    const reply: Reply = await this.remote.control({
      kind: 'list-outbox',
      after: null,
      entries: null,
      ...(this.epoch !== undefined && { epoch: this.epoch }),
    });
    if (reply.kind !== 'outbox-page') throw new Error(`It answered ${reply.kind}`);
    return reply.page.entries;
  }

  async sign(name: string | null): Promise<void> {
    this.meet();
    const reply: Reply = await this.remote.control(
      name === null ? { kind: 'sign-out', pendingWrites: 'keep' } : { kind: 'sign-in', name },
    );
    if (reply.kind === 'identity') this.epoch = reply.identity.epoch;
  }

  /** Signs out, and discards what waits. */
  async discard(): Promise<void> {
    const command = { kind: 'sign-out', pendingWrites: 'discard' } as const;
    await this.remote.control(this.epoch === undefined ? command : { ...command, epoch: this.epoch });
  }

  /** Resolves once that was told of that write. */
  heard(told: string): Promise<void> {
    return until(() => this.told.includes(told));
  }
}

/** Lets what can go on without time go on. */
export async function rounds(count = 30): Promise<void> {
  for (let round = 0; round < count; round += 1) await settle();
}

export async function waitFor(stage: OutboxStage, milliseconds: number): Promise<void> {
  await stage.world.clock.advance(milliseconds);
  await settle();
}

/** Time goes on second by second, so that what follows from each is done before the next. */
export async function goOn({ world }: Pick<OutboxStage, 'world'>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await world.clock.advance(1_000);
}

/** The user clears the site's data, or the browser does, while the app is open. */
export async function deleteAll(factory: IDBFactory | null): Promise<void> {
  for (const { name } of (await factory?.databases()) ?? [])
    await new Promise((resolve) =>
      factory?.deleteDatabase(String(name)).addEventListener('success', resolve),
    );
}

/** An edit that changes nothing but the key, which goes on from there. */
export const EDIT = { kind: 'edit', key: 'key-9', params: null, body: null, contentType: null } as const;

/** A page says this of a call that ended while there was no worker. */
export const GIVEN_UP = {
  kind: 'decide',
  entry: 'entry-1',
  decision: { kind: 'discard', isGivenUp: true },
} as const;

/** The text that was sent; empty for none. */
export function bodyOf(seen: Seen | undefined): string {
  return typeof seen?.init.body === 'string' ? seen.init.body : '';
}
