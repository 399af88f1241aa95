import { describe, expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { cursor } from './feeds/feed.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { IDBFactory } from './storage/indexeddb.fixture.ts';
import { hold } from './storage/held-database.fixture.ts';
import { FakeSystem, json, unreachable } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { Database } from './storage/database.ts';
import { Responses } from './storage/responses.ts';
import { orderOf, record } from './storage/record.fixture.ts';

/** Milliseconds in which all goes on once the database works again. */
const SOON = 1_000;

/** How long a database hangs: long enough that what is tried again waits up to 30 s between two tries. */
const LONG = 95_000;

const FEED = {
  pace: every(1_000),
  cursor: cursor(),
  invocation: submission(0, { template: '/changes' }).invocation,
};

/** A worker, the databases that it finds, and a server of numbered changes. */
class World {
  readonly system: FakeSystem;
  readonly page: Tab;
  readonly #house: ReturnType<typeof houseOf>;
  last = 0;

  constructor(indexedDB: IDBFactory = new IDBFactory()) {
    this.system = Object.assign(new FakeSystem(), { indexedDB });
    this.system.serve = ({ url }) => {
      const since = Number(new URL(url).searchParams.get('since') ?? 0);
      return this.last > since ? json({ last: `${since + 1}` }) : new Response(null, { status: 204 });
    };
    this.system.grant();
    this.#house = houseOf(this.system);
    this.page = this.open('1');
  }

  open(name: string): Tab {
    const tab = new Tab((source, envelope) => this.#house.receive(source, envelope), name, `session ${name}`);
    void tab.greet();
    return tab;
  }

  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 500) await this.system.clock.advance(500);
  }

  /** Milliseconds until it holds; Infinity if it does not within 40 s. */
  async until(holds: () => boolean | Promise<boolean>): Promise<number> {
    for (let passed = 0; passed <= 40_000; passed += 250) {
      for (let turn = 0; turn < 3; turn += 1) await settle();
      if (await holds()) return passed;
      await this.system.clock.advance(250);
    }
    return Infinity;
  }
}

/** The changes that a page was told. */
function told({ deliveries }: Tab): unknown[] {
  return deliveries.flatMap((each) => {
    if (each.kind !== 'tick' || each.outcome.kind === 'failed' || !each.entry) return [];
    const { body } = each.outcome.answer;
    return [Object(body.kind === 'value' ? body.value : null).last];
  });
}

describe('once a database works that has been late for long', () => {
  test.each([LONG, LONG + 10_000])('a page goes on with the log of its feed, after %i ms', async (long) => {
    const world = new World();
    await settle();
    await world.page.declare({ loop: 1, ...FEED });
    world.last = 4;
    await world.until(() => told(world.page).length === 4);
    const [position = null] = world.page.deliveries.flatMap((each) =>
      each.kind === 'tick' && each.entry ? [each.entry] : [],
    );
    const release = await hold(world.system);
    const other = world.open('2');
    await settle();
    // It has had the first change, and reads the others in the log.
    await other.declare({ loop: 1, ...FEED, position, again: { revision: null, overdueBy: 0 } });
    await world.pass(long);
    expect(told(other)).toEqual([]);
    release();
    expect(await world.until(() => told(other).length === 3)).toBeLessThanOrEqual(SOON);
  });

  test('a worker that could not learn who is signed in begins its feeds', async () => {
    const earlier = new World();
    await earlier.page.submit(1);
    await earlier.pass(10_000);
    const { indexedDB } = earlier.system;
    const release = await hold({ indexedDB }, 'offstage:/');
    const world = new World(indexedDB ?? undefined);
    world.last = 1;
    await settle();
    void world.page.declare({ loop: 1, ...FEED });
    await world.pass(LONG);
    expect(told(world.page)).toEqual([]);
    release();
    // The feed is asked once a second.
    expect(await world.until(() => told(world.page).length > 0)).toBeLessThanOrEqual(2 * SOON);
  });

  test('a poll that keeps its place tells stored answers', async () => {
    const world = new World();
    const { page, system } = world;
    system.serve = () => json({ last: `${system.requests.length}` });
    await settle();
    await page.declare({ loop: 1, ...FEED, cursor: cursor({ kind: 'state' }) });
    const isStored = (): boolean | undefined =>
      page.deliveries
        .flatMap((each) => (each.kind === 'tick' && each.outcome.kind === 'answered' ? [each.outcome] : []))
        .map(({ revision }) => revision !== null)
        .at(-1);
    await world.pass(5_000);
    const release = await hold(system);
    await world.pass(LONG);
    expect(isStored()).toBe(false);
    release();
    expect(await world.until(() => isStored() === true)).toBeLessThanOrEqual(2 * SOON);
  });

  test('what a page was told is there for the next worker', async () => {
    const world = new World();
    let version = 1;
    world.system.serve = () => json({ version });
    await world.page.submit(1);
    await world.pass(5_000);
    const release = await hold(world.system);
    version = 2;
    await world.page.submit(2);
    await world.pass(LONG);
    release();
    await world.pass(2 * SOON);
    const next = new World(world.system.indexedDB ?? undefined);
    next.system.serve = () => unreachable();
    await settle();
    await next.page.submitAll([submission(1, { policy: { cache: 'cache-only' } })]);
    await next.until(() => next.page.settled.length > 0);
    expect(JSON.stringify(next.page.deliveries)).toContain('"version":2');
  });

  test('an answer that waited is stored, and one that comes then is said to be', async () => {
    const world = new World();
    const databaseOf = (): Database => new Database(world.system, '/#default', () => {});
    const responses = new Responses(world.system, databaseOf());
    await responses.write(orderOf(record('before')));
    const release = await hold(world.system);
    const waiting = responses.write(orderOf(record('waiting')));
    await world.pass(LONG);
    expect(await waiting).toBe(false);
    release();
    const isThere = async (key: string): Promise<boolean> =>
      (await new Responses(world.system, databaseOf()).find(key)).kind === 'found';
    // It may be read as soon as the database answers; nothing is tried between that and the next line.
    await world.until(async () => (await responses.find('before')).kind === 'found');
    expect(await responses.write(orderOf(record('then')))).toBe(true);
    expect(await world.until(() => isThere('waiting'))).toBeLessThanOrEqual(SOON);
  });
});
