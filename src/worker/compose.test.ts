import { describe, expect, test } from 'vitest';
import { invocation } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { every, SILENT } from './loops/stage.fixture.ts';
import { FakeSystem, json, unreachable, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import type { System } from './platform/system.ts';

/** A whole worker in a played world. */
class Worker {
  readonly world: FakeSystem = new FakeSystem();
  readonly present: Set<string> = new Set(['client 1', 'client 2']);
  readonly tab: Tab;
  /** How often the house was done though its worker runs on. */
  outlived = 0;
  readonly #house;

  constructor(difference: Partial<System> = {}) {
    this.#house = houseOf(Object.assign(this.world, difference), {
      isPresent: async (id) => this.present.has(id),
      retired: () => void (this.outlived += 1),
    });
    this.tab = this.open();
  }

  async drain(): Promise<void> {
    await this.tab.remote.control({ kind: 'drain' });
  }

  open(client = 'client 1'): Tab {
    return new Tab((source, envelope) => this.#house.receive(source, envelope), client);
  }

  /** Goes on until the first tab has been told so much. */
  async told(deliveries: number): Promise<void> {
    await until(() => this.tab.deliveries.length >= deliveries);
  }
}

describe('the greeting', () => {
  test('names the lock that this life holds', async () => {
    const { world, tab } = new Worker();
    const greeting = tab.greet();
    await settle();
    expect(world.locked).toEqual(['offstage:worker:name 1']);
    world.grant();
    expect(await greeting).toMatchObject({ instance: 'name 1', lock: 'offstage:worker:name 1' });
  });

  test('goes without a lock where there are none, or where it is refused', async () => {
    expect(await new Worker({ locks: null }).tab.greet()).toMatchObject({ lock: null });
    const locks = { request: () => Promise.reject(new Error('not allowed')) };
    expect(await new Worker({ locks }).tab.greet()).toMatchObject({ kind: 'welcome', lock: null });
  });
});

describe('a call', () => {
  test('comes back with its answer', async () => {
    const worker = new Worker();
    worker.world.serve = () => json({ title: 'A' });
    await worker.tab.submit(1);
    await worker.told(1);
    expect(worker.tab.deliveries).toMatchObject([
      {
        kind: 'settled',
        id: 1,
        outcome: { kind: 'answered', answer: { body: { kind: 'value', value: { title: 'A' } } } },
      },
    ]);
  });

  test('is told of on its way only where the page listens', async () => {
    const worker = new Worker();
    const interest = { ...SILENT, sent: true, progress: true };
    void worker.tab.greet();
    await worker.tab.submitAll([{ ...submission(1), interest }, submission(2, { template: '/other' })]);
    await until(() => worker.tab.settled.length === 2);
    const ofOne = worker.tab.deliveries.filter((each) => 'to' in each);
    expect(ofOne).toMatchObject([
      { kind: 'sent', to: { id: 1 }, status: 200 },
      { kind: 'progress', to: { id: 1 }, progress: { loaded: 2 } },
    ]);
  });

  test('that is to be repeated says when, to the page that would repeat it after the worker', async () => {
    const worker = new Worker();
    worker.world.serve = () => json({}, { 'Retry-After': '7' }, 503);
    void worker.tab.greet();
    await worker.tab.submitAll([submission(1, { policy: { retry: 1 } })]);
    await worker.told(1);
    expect(worker.tab.deliveries).toMatchObject([{ kind: 'waiting', to: { id: 1 } }]);
    expect(worker.tab.deliveries[0]).toHaveProperty('wait', expect.closeTo(7_000, -3));
  });

  test('is served from what is stored where the network is gone, until that is cleared', async () => {
    const worker = new Worker();
    worker.world.serve = () => json([1]);
    await worker.tab.submit(1);
    await worker.told(1);
    worker.world.serve = unreachable;
    await worker.tab.submit(2);
    await worker.told(2);
    await worker.tab.remote.control({ kind: 'clear-cache' });
    await worker.tab.submit(3);
    await worker.told(3);
    expect(worker.tab.deliveries.slice(1)).toMatchObject([
      { id: 2, outcome: { kind: 'answered', servedFrom: 'cache', stale: true } },
      { id: 3, outcome: { kind: 'failed', failure: { code: 'network' } } },
    ]);
  });
});

describe('a loop', () => {
  test('asks on its grid and tells its page', async () => {
    const worker = new Worker();
    await worker.tab.declare({ loop: 4, pace: every(5_000) });
    await worker.told(1);
    await worker.world.clock.advance(5_000);
    await worker.told(2);
    const start = worker.world.requests[0]?.at ?? 0;
    expect(worker.world.requests.map(({ at }) => at - start)).toEqual([0, 5_000]);
    expect(worker.tab.deliveries).toMatchObject([
      { kind: 'tick', loop: 4, nextIn: 5_000, outcome: { changed: true } },
      { kind: 'tick', loop: 4, outcome: { changed: false } },
    ]);
  });

  test('asks again by its own rule, not as often as calls may be repeated', async () => {
    const worker = new Worker();
    worker.world.serve = () => json({}, {}, 503);
    await worker.tab.declare({ pace: every(60_000), invocation: invocation({ policy: { retry: 3 } }) });
    await worker.told(1);
    await worker.world.clock.advance(299);
    expect(worker.world.requests).toHaveLength(1);
    expect(worker.tab.deliveries).toMatchObject([{ kind: 'tick', outcome: { failure: { code: 'http' } } }]);
  });

  test('that is told nothing new makes no event of it: a 304 to a long-poll', async () => {
    const worker = new Worker();
    worker.world.serve = async ({ headers }) => {
      if (!headers.has('if-none-match')) return json([1], { ETag: '"1"' });
      await worker.world.clock.sleep(25_000);
      return new Response(null, { status: 304 });
    };
    await worker.tab.declare({ pace: { kind: 'long-poll' } });
    await until(() => worker.world.requests.length === 2);
    await worker.world.clock.advance(25_000);
    await until(() => worker.world.requests.length === 3);
    expect(worker.tab.deliveries).toHaveLength(1);
  });

  test('ends with its page (invariant 13)', async () => {
    const worker = new Worker();
    await worker.tab.declare();
    await worker.told(1);
    worker.present.delete('client 1');
    await worker.world.clock.advance(10_000);
    const asked = worker.world.requests.length;
    await worker.world.clock.advance(10_000);
    expect(worker.world.requests).toHaveLength(asked);
  });
});

test('a loop that is due while another engine acts rests, and asks nothing', async () => {
  const worker = new Worker({ locks: { request: () => new Promise(() => {}) } });
  await worker.tab.declare();
  await worker.world.clock.advance(1_000);
  expect(await worker.tab.remote.control({ kind: 'inspect' })).toMatchObject({
    inspection: { acting: false, loops: [{ state: 'resting', nextDueAt: null, requests: 0 }] },
  });
  expect(worker.world.requests).toEqual([]);
});

describe('a drained house that nobody replaces', () => {
  test('is done after 10 s: its pages learn by its lock that this life is over', async () => {
    const worker = new Worker();
    const { world, tab } = worker;
    world.grant();
    await tab.greet();
    await worker.drain();
    await world.clock.advance(9_999);
    expect([worker.outlived, world.givenBack]).toEqual([0, []]);
    await world.clock.advance(1);
    expect([worker.outlived, world.givenBack]).toEqual([1, ['offstage:worker:name 1']]);
  });

  test('leaves the loops to the next one', async () => {
    const worker = new Worker();
    const { world, tab } = worker;
    world.grant();
    await tab.declare();
    await worker.told(1);
    await worker.drain();
    expect(world.givenBack).toEqual([]);
    await world.clock.advance(10_000);
    expect(world.givenBack).toContain('engine:/#default');
  });
});

describe('what is known of an origin', () => {
  const ORIGIN = 'https://page.example';

  test('is told to every page when it changes, whoever asked', async () => {
    const worker = new Worker();
    const other = worker.open('client 2');
    worker.world.grant();
    await Promise.all([worker.tab.greet(), other.greet()]);
    const serves = [unreachable, () => json({}, {}, 503), () => json({}), () => json({}, {}, 404)];
    for (const [index, serve] of serves.entries()) {
      worker.world.serve = serve;
      await worker.tab.submit(index + 1);
      await worker.told(index + 1);
    }
    const heard = ['unreachable', 'failing', 'reachable'].map((status) => [ORIGIN, status]);
    await until(() => other.origins.length === heard.length);
    expect(worker.tab.origins).toEqual(heard);
    expect(other.origins).toEqual(heard);
  });

  test('is told to a page that comes later, also of a loop’s outcome', async () => {
    const worker = new Worker();
    worker.world.serve = unreachable;
    await worker.tab.declare();
    await worker.told(1);
    const late = worker.open('client 2');
    void late.greet();
    await until(() => late.origins.length > 0);
    expect(late.origins).toEqual([[ORIGIN, 'unreachable']]);
  });

  test('does not suffer from a long-poll that its watchdog ends', async () => {
    const worker = new Worker();
    worker.world.grant();
    await worker.tab.greet();
    worker.world.serve = () => new Promise(() => {});
    await worker.tab.declare({ pace: { kind: 'long-poll' } });
    await until(() => worker.world.requests.length === 1);
    await worker.world.clock.advance(30_000);
    await until(() => worker.world.requests.length === 2);
    expect(worker.tab.origins).toEqual([]);
  });
});

describe('loops of a failing origin', () => {
  test('are let go by the answer to a call', async () => {
    const worker = new Worker();
    const { world, tab } = worker;
    world.grant();
    await tab.greet();
    world.serve = unreachable;
    await tab.declare({ loop: 1, pace: every(1_000) });
    await tab.declare({ loop: 2, pace: every(1_000), invocation: invocation({ template: '/others' }) });
    await worker.told(2);
    // Two quick tries each, and then one of them asks for both.
    for (const [wait, requests] of [
      [800, 4],
      [1_000, 6],
      [1_000, 7],
    ] as const) {
      await world.clock.advance(wait);
      await until(() => world.requests.length === requests);
    }
    await settle();
    expect(world.requests).toHaveLength(7);
    world.serve = () => json({});
    await tab.submit(1);
    await until(() => tab.settled.length === 1);
    await world.clock.advance(250);
    await until(() => world.requests.length === 9);
  });
});

test('in a page a house has no life of its own, so no lock', async () => {
  const world = new FakeSystem();
  const house = houseOf(world, { host: 'page', isPresent: null });
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  expect(await tab.greet()).toMatchObject({ kind: 'welcome', lock: null });
  expect(world.locked).toEqual([]);
});

test('every page is told, once, that storage has fallen back to memory', async () => {
  const worker = new Worker({ indexedDB: null });
  const other = worker.open('client 2');
  other.meet();
  await worker.tab.submit(1, 2);
  await until(() => worker.tab.settled.length === 2);
  const told = { kind: 'storage', mode: 'memory', reason: 'IndexedDB is missing here' };
  expect(worker.tab.deliveries.filter(({ kind }) => kind === 'storage')).toEqual([told]);
  expect(other.deliveries).toEqual([told]);
});

test('every page is told when the database was made, one that comes later too', async () => {
  const worker = new Worker();
  await worker.tab.submit(1);
  await worker.told(1);
  const other = worker.open('client 2');
  other.meet();
  await until(() => other.opened.length > 0);
  const madeAt = worker.world.clock.now();
  const opened = [{ kind: 'opened', name: '/#default', madeAt }];
  expect([worker.tab.opened, other.opened]).toEqual([opened, opened]);
});

test('a look at the worker shows its pages, calls, loops and cache', async () => {
  const worker = new Worker();
  const { clock } = worker.world;
  const startedAt = clock.now();
  worker.open('client 2').meet();
  await worker.tab.submit(1);
  await worker.told(1);
  worker.world.serve = () => new Promise(() => {});
  await worker.tab.submit(2);
  await worker.tab.declare({ firstIn: 60_000 });
  await clock.advance(10);
  const reply = await worker.tab.remote.control({ kind: 'inspect' });
  expect(reply).toEqual({
    kind: 'inspection',
    inspection: {
      instance: 'name 1',
      startedAt,
      now: startedAt + 10,
      acting: false,
      generation: null,
      pages: 2,
      calls: [expect.objectContaining({ method: 'GET', template: '/photo', since: startedAt })],
      loops: [expect.objectContaining({ state: 'waiting', nextDueAt: startedAt + 60_000 })],
      cache: { mode: 'indexeddb', entries: 1, bytes: 2 },
      origins: [
        { origin: 'https://page.example', status: 'reachable', since: startedAt, askedAt: startedAt },
      ],
    },
  });
});
