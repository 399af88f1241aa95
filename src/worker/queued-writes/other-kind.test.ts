import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { onDisk } from '../storage/on-disk.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { LateDisk } from './late-disk.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';

// An app is updated, and wants encryption from then on, or none any more.

interface Engine {
  readonly world: FakeSystem;
  readonly tab: OutboxTab;
}

class Browser {
  readonly server: OutboxStage = new OutboxStage(null);
  indexedDB: IDBFactory = new IDBFactory();
  readonly spare: Spare = new Spare();
  readonly #hasSpare: boolean;
  #lives = 0;

  constructor(hasSpare = true) {
    this.#hasSpare = hasSpare;
    this.server.answer = unreachable;
  }

  engine(encrypts: boolean): Engine {
    const { indexedDB } = this;
    const spare = this.#hasSpare ? this.spare : null;
    const world = Object.assign(new FakeSystem(), { indexedDB, spare });
    this.#lives += 1;
    world.clock.set(this.#lives * 600_000);
    const [life, { uuid }] = [this.#lives, world];
    Object.assign(world, { uuid: () => `life ${life} ${uuid()}` });
    world.serve = async (seen) => (await this.server.answer(seen)) ?? this.server.perform(seen);
    world.grant();
    const house = houseOf(world, { encrypts });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), 'client 1') };
  }

  /** The names of all databases of outboxes and of their copies. */
  async outboxes(): Promise<string[]> {
    const found = [this.indexedDB, this.spare.factory].map((each) => each.databases());
    return (await Promise.all(found)).flat().flatMap(({ name }) => (name?.includes('outbox:') ? [name] : []));
  }

  async text(): Promise<string> {
    return (await onDisk(this)) + (await onDisk({ indexedDB: this.spare.factory }));
  }
}

/** One write waits as the app is updated. */
async function switched(from: boolean): Promise<{ browser: Browser; before: Engine; after: Engine }> {
  const browser = new Browser();
  const before = browser.engine(from);
  await before.tab.queue(1, 'Dusk');
  await rounds();
  // What is left of it reaches nobody any more.
  before.world.serve = () => new Promise(() => {});
  const after = browser.engine(!from);
  await after.tab.greet();
  return { browser, before, after };
}

test.each([false, true])(
  'what waits is sent, though the app is updated and changes encryption from %s',
  async (from) => {
    const { browser, before, after } = await switched(from);
    browser.server.answer = () => null;
    await goOn(after, 120);
    await after.tab.queue(2, 'Dawn');
    await goOn(after, 120);
    expect(before.tab.queued).toEqual([1]);
    expect(browser.server.performed).toEqual(['Dusk', 'Dawn']);
  },
);

test('once an app wants encryption, nothing that waits can be read in the files', async () => {
  const { browser, after } = await switched(false);
  expect(await browser.text()).toContain('Dusk');
  await goOn(after, 10);
  expect(await browser.text()).not.toContain('Dusk');
  expect((await after.tab.list()).map(({ body }) => body)).toEqual([{ kind: 'text', text: 'Dusk' }]);
  for (const name of await browser.outboxes()) expect(name).toContain('encrypted:');
});

test.each([false, true])(
  'what waits for others than who is signed in is carried over, too; encrypted before: %s',
  async (from) => {
    const browser = new Browser();
    const { world, tab } = browser.engine(from);
    for (const [index, name] of ['ada', 'grace'].entries()) {
      await Promise.all([tab.sign(name), goOn({ world }, 20)]);
      await tab.queue(index + 1, `Dusk of ${name}`);
    }
    await Promise.all([tab.sign(null), goOn({ world }, 20)]);
    const after = browser.engine(!from);
    await after.tab.greet();
    // The partition's database opens when something is read from it.
    await after.tab.submitAll([submission(9, { template: '/photos' })]);
    await goOn(after, 10);
    // Encryption takes time that no clock of a test knows.
    await rounds(100);
    for (const name of await browser.outboxes()) expect(name.includes('encrypted:')).toBe(!from);
    expect((await browser.text()).includes('Dusk of')).toBe(from);
    // All databases but the copies are lost.
    browser.indexedDB = new IDBFactory();
    browser.server.answer = () => null;
    const last = browser.engine(!from);
    for (const name of ['ada', 'grace'])
      await Promise.all([last.tab.sign(name), goOn({ world: last.world }, 60)]);
    expect(browser.server.performed).toEqual(['Dusk of ada', 'Dusk of grace']);
  },
);

test('where all databases are lost with the update, the copy of the other kind has what waits', async () => {
  const { browser, before } = await switched(false);
  await goOn(before, 1);
  browser.indexedDB = new IDBFactory();
  browser.server.answer = () => null;
  const after = browser.engine(true);
  await after.tab.greet();
  await goOn(after, 60);
  expect(browser.server.performed).toEqual(['Dusk']);
});

test('it comes back before what is queued meanwhile, though the other place names its databases late', async () => {
  const browser = new Browser();
  const before = browser.engine(false);
  await before.tab.queue(1, 'Dusk');
  await rounds();
  before.world.serve = () => new Promise(() => {});
  browser.indexedDB = new IDBFactory();
  const { factory } = browser.spare;
  const databases = factory.databases.bind(factory);
  factory.databases = () => Promise.reject(new DOMException('busy', 'UnknownError'));
  browser.server.answer = () => null;
  const after = browser.engine(true);
  await after.tab.greet();
  await after.tab.queue(2, 'Dawn');
  await goOn(after, 3);
  factory.databases = databases;
  await goOn(after, 60);
  expect(browser.server.performed).toEqual(['Dusk', 'Dawn']);
});

/** One write waits as an app is updated, and wants encryption, in a browser without another place. */
async function updated(trouble: (browser: Browser) => () => void): Promise<string[]> {
  const browser = new Browser(false);
  const before = browser.engine(false);
  await before.tab.queue(1, 'Dusk');
  await rounds();
  before.world.serve = () => new Promise(() => {});
  const end = trouble(browser);
  browser.server.answer = () => null;
  const after = browser.engine(true);
  await after.tab.greet();
  await goOn(after, 5);
  end();
  const queued = after.tab.queue(2, 'Dawn');
  // Encryption takes time that no clock of a test knows.
  await rounds(100);
  await Promise.all([queued, goOn(after, 60)]);
  return browser.server.performed;
}

test.each([
  ['fails', () => Promise.reject(new DOMException('busy', 'UnknownError'))],
  ['does not answer', () => new Promise<never>(() => {})],
])(
  'what waits is sent first, though a browser that is to name its databases %s as the app wants encryption',
  async (_, databases) => {
    const performed = await updated(({ indexedDB }) => {
      indexedDB.databases = databases;
      return () => {};
    });
    expect(performed).toEqual(['Dusk', 'Dawn']);
  },
);

test('what waits is sent first, though its database does not open for a while as the app wants encryption', async () => {
  const performed = await updated(({ indexedDB }) => {
    const open = indexedDB.open.bind(indexedDB);
    indexedDB.open = (...given) => {
      if (given[0].startsWith('offstage:outbox')) throw new DOMException('busy', 'UnknownError');
      return open(...given);
    };
    return () => (indexedDB.open = open);
  });
  expect(performed).toEqual(['Dusk', 'Dawn']);
});

test('writes are queued, though the database of the other kind hangs for good as it is opened', async () => {
  const browser = new Browser(false);
  const disk = new LateDisk('offstage:outbox');
  browser.indexedDB = disk;
  await browser.engine(false).tab.queue(1, 'Dusk');
  await rounds();
  disk.isLate = true;
  const after = browser.engine(true);
  await after.tab.greet();
  await goOn(after, 20);
  const queued = after.tab.queue(2, 'Dawn');
  // Encryption takes time that no clock of a test knows.
  await rounds(100);
  await Promise.all([queued, goOn(after, 5)]);
  expect(after.tab.queued).toEqual([2]);
});
