import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { cursor } from './feeds/feed.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { HangingFactory } from './storage/hanging-database.fixture.ts';
import type { Hangs } from './storage/hanging-database.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import type { Wish } from './cache/invocation.fixture.ts';

/** A worker with one page, whose database may hang in part: then probes are answered at once. */
class Worker {
  readonly indexedDB: HangingFactory = new HangingFactory();
  readonly world: FakeSystem = Object.assign(new FakeSystem(), { indexedDB: this.indexedDB });
  readonly tab: Tab;
  #calls = 0;

  constructor() {
    const house = houseOf(this.world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    this.world.grant();
    void this.tab.greet();
  }

  /** Milliseconds that a call takes. */
  async call(wish: Wish): Promise<number> {
    const id = (this.#calls += 1);
    await this.tab.submitAll([submission(id, wish)]);
    return this.until(() => this.tab.settled.includes(id));
  }

  /** Milliseconds until it holds; Infinity if it does not within 40 s. */
  async until(holds: () => boolean): Promise<number> {
    for (let passed = 0; passed <= 40_000; passed += 250) {
      await settle();
      if (holds()) return passed;
      await this.world.clock.advance(250);
    }
    return Infinity;
  }

  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 500) await this.world.clock.advance(500);
  }

  /** How often a loop was answered; `entries`: only the answers of a feed that are in its log. */
  ticks(loop: number, entries = false): number {
    return this.tab.deliveries.filter(
      (each) =>
        each.kind === 'tick' &&
        each.loop === loop &&
        each.outcome.kind === 'answered' &&
        (!entries || !!each.entry),
    ).length;
  }
}

const writes: Hangs = (_, _stores, mode) => mode === 'readwrite';
const of =
  (store: string): Hangs =>
  (_, stores) =>
    stores.includes(store);

const WISHES: readonly Wish[] = [
  { template: '/a' },
  { template: '/a', policy: { revalidate: false } },
  { template: '/b', headers: [['X-Tenant', 'a']] },
  { template: '/b', headers: [['X-Tenant', 'b']], policy: { cache: 'strict' } },
  { template: '/a', policy: { cache: 'cache-first' } },
];

test.each<[string, Hangs]>([
  ['writes', writes],
  ['all of answers', of('responses')],
  ['reads of answers', (nth, stores, mode) => of('responses')(nth, stores, mode) && mode === 'readonly'],
  ['all of loops', of('loops')],
])('while %s hang, calls are answered within 4 s', async (_what, hangs) => {
  const worker = new Worker();
  const { tab, world, indexedDB } = worker;
  world.serve = ({ url, headers }) =>
    headers.has('if-none-match') ? new Response(null, { status: 304 }) : json({ url }, { ETag: '"1"' });
  for (const wish of WISHES) await worker.call(wish);
  await worker.pass(10_000);
  indexedDB.hangs = hangs;
  const took: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const others = WISHES.map((each) => ({ ...each, template: `/x${round}` }));
    for (const wish of [...WISHES, ...others]) took.push(await worker.call(wish));
    await worker.pass(5_000);
  }
  expect(Math.max(...took)).toBeLessThanOrEqual(4_000);
  expect(tab.held).toBe(0);
});

test.each<[string, Hangs]>([
  ['writes', writes],
  ['all of answers', of('responses')],
  ['all of loops', of('loops')],
])('while %s hang, polls go on at their pace', async (_what, hangs) => {
  const worker = new Worker();
  const { tab, world, indexedDB } = worker;
  world.serve = () => json({ last: `${world.requests.length}` });
  await settle();
  void tab.declare({ loop: 1, pace: every(5_000), cursor: cursor({ kind: 'state' }) });
  void tab.declare({
    loop: 2,
    pace: every(5_000),
    invocation: submission(0, { template: '/plain' }).invocation,
  });
  await worker.pass(20_000);
  indexedDB.hangs = hangs;
  const before = [worker.ticks(1), worker.ticks(2)];
  await worker.pass(120_000);
  // 24 at their pace
  expect(worker.ticks(1) - (before[0] ?? 0)).toBeGreaterThan(17);
  expect(worker.ticks(2) - (before[1] ?? 0)).toBeGreaterThan(17);
});

test.each<[string, Hangs]>([
  ['writes', writes],
  ['all of loops', of('loops')],
  ['all of feeds', of('feeds')],
])('a feed goes on soon after %s have hung for long', async (_what, hangs) => {
  const worker = new Worker();
  const { tab, world, indexedDB } = worker;
  let last = 1;
  world.serve = ({ url }) => {
    const since = Number(new URL(url).searchParams.get('since') ?? 0);
    return last > since ? json({ last: `${since + 1}` }) : new Response(null, { status: 204 });
  };
  await settle();
  const { invocation } = submission(0, { template: '/changes' });
  void tab.declare({ loop: 1, pace: every(1_000), cursor: cursor(), invocation });
  await worker.pass(5_000);
  indexedDB.hangs = hangs;
  last = 1_000;
  await worker.pass(310_000);
  const before = worker.ticks(1, true);
  indexedDB.hangs = () => false;
  expect(await worker.until(() => worker.ticks(1, true) > before)).toBeLessThanOrEqual(5_000);
});
