import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { cursor } from './feeds/feed.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { HangingFactory } from './storage/hanging-database.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** A worker whose database opens, and then never ends a transaction. */
class Worker {
  readonly indexedDB: HangingFactory = new HangingFactory();
  readonly world: FakeSystem = Object.assign(new FakeSystem(), { indexedDB: this.indexedDB });
  readonly tab: Tab;

  constructor() {
    const house = houseOf(this.world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    this.indexedDB.hangs = () => true;
    this.world.grant();
  }

  get told(): string[] {
    return this.tab.deliveries.flatMap((each) =>
      each.kind === 'settled' || each.kind === 'tick'
        ? [each.outcome.kind === 'failed' ? each.outcome.failure.code : each.outcome.kind]
        : [],
    );
  }
}

function ticksOf({ deliveries }: Tab): number {
  return deliveries.filter(({ kind }) => kind === 'tick').length;
}

test.each([
  ['without headers of its own', {}],
  ['whose key has a digest of headers', { headers: [['X-Tenant', 'a']] as const }],
])('a cacheable GET %s is answered from the network within 4 s', async (_what, wish) => {
  const worker = new Worker();
  void worker.tab.greet();
  await worker.tab.submitAll([submission(1, wish)]);
  await worker.world.clock.advance(4_000);
  await settle();
  expect(worker.told).toEqual(['answered']);
  await worker.tab.submitAll([submission(2, wish), submission(3, { ...wish, template: '/other' })]);
  await worker.world.clock.advance(100);
  await settle();
  expect(worker.told).toEqual(['answered', 'answered', 'answered']);
});

test('polls go on, and a feed says why it does not', async () => {
  const worker = new Worker();
  const { tab, world } = worker;
  void tab.greet();
  await settle();
  // The worker first waits a moment to learn who is signed in.
  void tab.declare({ loop: 1, pace: every(1_000) });
  await world.clock.advance(12_000);
  await settle();
  expect(worker.told.length).toBeGreaterThan(5);
  expect(new Set(worker.told)).toEqual(new Set(['answered']));
  await tab.declare({ loop: 2, pace: every(1_000), cursor: cursor() });
  await world.clock.advance(8_000);
  await settle();
  expect(worker.told).toContain('storage');
});

test('a poll that keeps its place goes on at its pace while nothing can be stored', async () => {
  const { tab, world, indexedDB } = new Worker();
  indexedDB.hangs = () => false;
  world.serve = () => json({ n: world.requests.length, last: `${world.requests.length}` });
  void tab.greet();
  await settle();
  await tab.declare({ loop: 1, pace: every(5_000), cursor: cursor({ kind: 'state' }) });
  await world.clock.advance(20_000);
  await settle();
  indexedDB.hangs = () => true;
  const before = ticksOf(tab);
  for (let passed = 0; passed < 120_000; passed += 500) {
    await world.clock.advance(500);
    await settle();
  }
  expect(ticksOf(tab) - before).toBeGreaterThan(15);
});

test('what was answered before is confirmed by a 304 that cannot be used: the whole is asked for', async () => {
  const worker = new Worker();
  const { tab, world, indexedDB } = worker;
  indexedDB.hangs = () => false;
  world.serve = ({ headers }) =>
    headers.has('if-none-match') ? new Response(null, { status: 304 }) : json([1], { ETag: '"1"' });
  await tab.submit(1);
  await settle();
  indexedDB.hangs = () => true;
  await tab.submit(2);
  await world.clock.advance(4_000);
  await settle();
  expect(worker.told).toEqual(['answered', 'answered']);
});

test('an inspection tells all but what is stored, within the deadline of a transaction', async () => {
  const worker = new Worker();
  const { tab, world, indexedDB } = worker;
  indexedDB.hangs = () => false;
  await tab.submit(1);
  await settle();
  indexedDB.hangs = () => true;
  for (const patience of [2_000, 0]) {
    const inspecting = tab.remote.control({ kind: 'inspect' });
    await world.clock.advance(patience);
    const answered = await Promise.race([inspecting, Promise.resolve('late')]);
    expect(answered).toMatchObject({
      kind: 'inspection',
      inspection: { pages: 1, cache: { mode: 'indexeddb', entries: null, bytes: null } },
    });
  }
});
