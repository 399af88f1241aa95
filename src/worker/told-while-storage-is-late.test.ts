import { expect, test } from 'vitest';
import type { Wish } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { hold } from './storage/held-database.fixture.ts';
import { FakeSystem, json, unreachable, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** A worker with one page, whose server has a version to tell and says something else of it each time. */
class Worker {
  readonly world: FakeSystem;
  readonly tab: Tab;
  version = 1;
  said: Record<string, string> = {};
  #requests = 0;
  #calls = 0;

  constructor(world: FakeSystem = new FakeSystem()) {
    this.world = world;
    world.grant();
    world.serve = ({ headers }) => this.#answer(headers);
    const house = houseOf(world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    void this.tab.greet();
  }

  /** What a call is told, or what it fails with. */
  async get(wish: Wish): Promise<unknown> {
    const id = (this.#calls += 1);
    await this.tab.submitAll([submission(id, wish)]);
    for (let turn = 0; turn < 30 && !this.tab.settled.includes(id); turn += 1) {
      await settle();
      await this.world.clock.advance(100);
    }
    const last = this.tab.deliveries.findLast((each) => each.kind === 'settled' && each.id === id);
    if (last?.kind !== 'settled') return null;
    const { outcome } = last;
    if (outcome.kind === 'failed') return outcome.failure.code;
    const { body } = outcome.answer;
    return body.kind === 'json' ? JSON.parse(body.text) : body.kind === 'value' ? body.value : body.kind;
  }

  async pass(): Promise<void> {
    await settle();
    await this.world.clock.advance(60_000);
    await until(() => this.tab.held === 0);
    await this.world.clock.advance(60_000);
  }

  #answer(headers: Headers): Response {
    const said = { ...this.said, ETag: `"v${this.version}"`, 'X-Request-Id': `${(this.#requests += 1)}` };
    const isKnown = headers.get('If-None-Match') === said.ETag;
    return isKnown
      ? new Response(null, { status: 304, headers: said })
      : json({ version: this.version }, said);
  }
}

/** What the next worker tells that finds these databases, without a network. */
async function toldNext({ indexedDB }: FakeSystem, wish: Wish): Promise<unknown> {
  const next = new Worker(Object.assign(new FakeSystem(), { indexedDB }));
  next.world.serve = () => unreachable();
  return next.get(wish);
}

/** A page that has been told the first version is told the second while the database waits. */
async function toldLate(wish: Wish, times: number, said: Record<string, string> = {}): Promise<Worker> {
  const worker = new Worker();
  await worker.get(wish);
  await worker.pass();
  worker.version = 2;
  worker.said = said;
  const release = await hold(worker.world);
  for (let nth = 0; nth < times; nth += 1) expect(await worker.get(wish)).toEqual({ version: 2 });
  await worker.world.clock.advance(2_500);
  release();
  await worker.pass();
  return worker;
}

test.each([1, 2])(
  'an answer that was told while its storage was late is stored, told %s times',
  async (times) => {
    const wish = { policy: { revalidate: true } };
    const { world } = await toldLate(wish, times);
    expect(await toldNext(world, wish)).toEqual({ version: 2 });
  },
);

test.each<[string, Record<string, string>, unknown]>([
  ['is stored', {}, { version: 2 }],
  ['may not be stored', { 'Cache-Control': 'no-store' }, 'network'],
])(
  'nothing older is told after an answer that %s, under a key with a late salt',
  async (_what, said, last) => {
    const wish: Wish = { headers: [['X-Tenant', 'one']], policy: { revalidate: false } };
    const worker = await toldLate(wish, 1, said);
    worker.world.serve = () => unreachable();
    expect([await worker.get(wish), await toldNext(worker.world, wish)]).toEqual([last, last]);
  },
);
