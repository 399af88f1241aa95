import { describe, expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import type { EnginePorts } from './compose.ts';
import { following } from './feeds/feed.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { IDBFactory } from './storage/indexeddb.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { PlayedLocks } from './platform/locks.fixture.ts';
import { Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** What the engines of one origin share. */
class Origin {
  readonly locks = new PlayedLocks();
  readonly indexedDB = new IDBFactory();

  /** Resolves when every database is deleted, as a user does who clears the site's data. */
  async clear(): Promise<void> {
    for (const { name = '' } of await this.indexedDB.databases()) {
      await new Promise((resolve) => {
        this.indexedDB.deleteDatabase(name).addEventListener('success', resolve);
      });
    }
  }
}

/** An engine of that origin, and a tab of it. */
class Engine {
  readonly world: FakeSystem;
  readonly tab: Tab;
  readonly #receive: ConstructorParameters<typeof Tab>[0];

  constructor({ locks, indexedDB }: Origin, scope: string, host: EnginePorts['host'] = 'service-worker') {
    this.world = Object.assign(new FakeSystem(), { locks, indexedDB });
    const house = houseOf(this.world, { scope, host });
    this.#receive = (source, envelope) => house.receive(source, envelope);
    this.tab = this.open('client 1');
  }

  open(client: string): Tab {
    return new Tab(this.#receive, client);
  }

  get ticks(): string[] {
    return this.tab.deliveries.flatMap((each) =>
      each.kind === 'tick' ? [each.outcome.kind === 'failed' ? each.outcome.failure.code : 'answered'] : [],
    );
  }
}

/** A feed with another answer for every request. */
function numbered(): () => Response {
  let last = 0;
  return () => json({ last: (last += 1) });
}

describe('a database that is deleted under a feed', () => {
  test('costs it nothing but what was stored: the next answers are told, and the page hears why', async () => {
    const origin = new Origin();
    const { world, tab } = new Engine(origin, '/');
    const waiting: (() => void)[] = [];
    const answer = numbered();
    world.serve = async () => {
      await new Promise<void>((resolve) => void waiting.push(resolve));
      return answer();
    };
    const news = (): void => waiting.shift()?.();
    await tab.declare(following());
    const ticks = (): unknown[] => tab.deliveries.filter(({ kind }) => kind === 'tick');
    await until(() => world.requests.length === 1);
    news();
    await until(() => ticks().length === 1);
    await until(() => world.requests.length === 2);

    await origin.clear();
    await world.clock.advance(1);
    for (const count of [2, 3, 4]) {
      news();
      await until(() => ticks().length === count);
      await until(() => world.requests.length === count + 1);
    }
    expect(ticks()).toMatchObject(
      [1, 2, 3, 4].map((n) => ({ outcome: { kind: 'answered' }, entry: { offset: n } })),
    );
    // The page sees from the times that this is another database.
    const madeAt = new Set(tab.opened.map((each) => each.madeAt));
    expect(madeAt.size).toBe(2);
  });
});

describe('engines of one origin', () => {
  test('whose workers have other scopes neither silence nor clear each other', async () => {
    const origin = new Origin();
    const [one, two] = [new Engine(origin, '/a/'), new Engine(origin, '/b/')];
    for (const { tab } of [one, two]) {
      await tab.declare({ pace: every(1_000) });
      await settle();
    }
    for (let second = 0; second < 3; second += 1) {
      for (const { world } of [one, two]) await world.clock.advance(1_000);
    }
    await until(() => one.ticks.length >= 4 && two.ticks.length >= 4);
    expect(origin.locks.held).toEqual(expect.arrayContaining(['engine:/a/#default', 'engine:/b/#default']));
    const names = async (): Promise<unknown> => (await origin.indexedDB.databases()).map(({ name }) => name);
    expect(await names()).toEqual([
      'offstage:/a/',
      'offstage:/b/',
      'offstage:/a/#default',
      'offstage:/b/#default',
    ]);

    await one.tab.submit(1);
    await two.tab.submit(1);
    await until(() => one.tab.settled.length === 1 && two.tab.settled.length === 1);
    await one.tab.remote.control({ kind: 'clear-cache' });
    for (const { world } of [one, two]) {
      world.serve = () => {
        throw new TypeError('fetch failed');
      };
    }
    await one.tab.submit(2);
    await two.tab.submit(2);
    await until(() => one.tab.settled.length === 2 && two.tab.settled.length === 2);
    const last = ({ tab }: Engine): unknown => tab.deliveries.findLast(({ kind }) => kind === 'settled');
    expect(last(one)).toMatchObject({ outcome: { kind: 'failed' } });
    expect(last(two)).toMatchObject({ outcome: { kind: 'answered', servedFrom: 'cache' } });
  });

  test('of one scope act one at a time: the worker’s before the page’s', async () => {
    const origin = new Origin();
    const page = new Engine(origin, '/a/', 'page');
    await page.tab.declare({ pace: every(1_000) });
    await until(() => page.ticks.length === 1);
    const worker = new Engine(origin, '/a/');
    await worker.tab.declare({ pace: every(1_000) });
    await until(() => worker.ticks.length === 1);
    const before = page.world.requests.length;
    for (let second = 0; second < 3; second += 1) await page.world.clock.advance(1_000);
    expect(page.world.requests).toHaveLength(before);
  });

  test('in pages take turns: one whose last loop has ended leaves it to the next', async () => {
    const origin = new Origin();
    const [one, two] = [new Engine(origin, '/', 'page'), new Engine(origin, '/', 'page')];
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        for (const { world } of [one, two]) await world.clock.advance(1_000);
        await settle();
      }
    };
    await one.tab.declare({ pace: every(1_000) });
    await until(() => one.ticks.length === 1);
    await two.tab.declare({ pace: every(1_000) });
    await pass(3);
    expect(two.world.requests).toEqual([]);
    // Another begins at once: that is no end.
    await one.tab.remote.control({ kind: 'stop', loop: 1 });
    await one.tab.declare({ loop: 2, pace: every(1_000) });
    await pass(3);
    expect(two.world.requests).toEqual([]);
    await one.tab.remote.control({ kind: 'stop', loop: 2 });
    await pass(1);
    await until(() => two.ticks.length >= 1);
  });
});

test('a tab that comes later hears that storage is memory only, once', async () => {
  const origin = Object.assign(new Origin(), { indexedDB: null });
  const engine = new Engine(origin, '/');
  engine.world.grant();
  await engine.tab.greet();
  await engine.tab.submit(1);
  await until(() => engine.tab.settled.length === 1);
  const late = engine.open('client 2');
  await late.greet();
  await late.greet();
  await settle();
  const told = { kind: 'storage', mode: 'memory', reason: 'IndexedDB is missing here' };
  for (const tab of [engine.tab, late]) {
    expect(tab.deliveries.filter(({ kind }) => kind === 'storage')).toEqual([told]);
  }
});
