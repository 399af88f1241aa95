import { describe, expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import type { TellStorage } from '../contracts/root-store.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import { record, replaceBy } from './record.fixture.ts';
import { LATER, NAME, openWith } from './versions.fixture.ts';

const AFTER_LATER: readonly Step[] = [...LATER, (): void => {}];

const MISTAKEN: readonly Step[] = [
  ...STEPS,
  ({ db }): void => {
    db.createObjectStore('later');
    throw new Error('mistake');
  },
];

/** An engine's place for answers, of a release with those steps. */
class Engine {
  readonly clock = new VirtualClock();
  readonly reasons: string[] = [];
  readonly database: Database;
  readonly answers: IdbResponses;

  constructor(indexedDB: IDBFactory, steps: readonly Step[]) {
    const tell: TellStorage = (news) => void (news.kind === 'memory' && this.reasons.push(news.reason));
    const { digest, pause } = new FakeSystem();
    this.database = new Database({ clock: this.clock, indexedDB }, 'default', tell, { steps });
    this.answers = new IdbResponses({ clock: this.clock, digest, pause }, this.database);
  }

  async store(key: string): Promise<void> {
    await this.answers.update(key, replaceBy(record(key)));
  }

  /** Whether the answer is there, with its body. */
  async has(key: string): Promise<boolean> {
    const found = await this.answers.find(key);
    return found !== null && (await this.answers.body(found)) !== null;
  }

  get state(): { readonly mode: string; readonly reasons: readonly string[] } {
    return { mode: this.database.mode, reasons: this.reasons };
  }
}

const SOUND = { mode: 'indexeddb', reasons: [] };

async function versionOf(factory: IDBFactory): Promise<number | undefined> {
  return (await factory.databases()).find(({ name }) => name === NAME)?.version;
}

/** Somebody's connection that gives way to nobody. */
async function stubborn(factory: IDBFactory): Promise<{ close(): void }> {
  const opening = factory.open(NAME, STEPS.length);
  await new Promise((resolve) => opening.addEventListener('success', resolve));
  return opening.result;
}

describe('two releases beside each other', () => {
  test('the older one gives way to the upgrade, opens again by itself and goes on', async () => {
    const factory = new IDBFactory();
    const [older, newer] = [new Engine(factory, STEPS), new Engine(factory, LATER)];
    await older.store('of the older');
    const given = await older.database.connect();
    await newer.store('of the newer');
    expect(await versionOf(factory)).toBe(LATER.length);
    expect(older.database.mode).toBe('closed');
    await older.store('afterwards');
    expect(await older.database.connect()).not.toBe(given);
    for (const engine of [older, newer]) {
      const keys = ['of the older', 'of the newer', 'afterwards'];
      expect(await Promise.all(keys.map((key) => engine.has(key)))).toEqual([true, true, true]);
      expect(engine.state).toEqual(SOUND);
    }
  });

  test('what the older one is about to store is stored before it gives way', async () => {
    const factory = new IDBFactory();
    const [older, newer] = [new Engine(factory, STEPS), new Engine(factory, LATER)];
    await older.store('before');
    const storing = older.database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      for (let turn = 0; turn < 50; turn += 1) await meta.put(turn, 'turn');
    });
    const upgrading = newer.has('before');
    await storing;
    expect(await upgrading).toBe(true);
    const last = await newer.database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get('turn'),
    );
    expect([last, older.reasons, newer.reasons]).toEqual([49, [], []]);
  });

  test('no use of either fails while it is upgraded', async () => {
    const factory = new IDBFactory();
    const [older, newer] = [new Engine(factory, STEPS), new Engine(factory, LATER)];
    await older.store('a');
    const uses = [older, newer].flatMap((engine) =>
      Array.from({ length: 20 }, async (_, index) => {
        for (let turn = 0; turn < index; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await engine.store(`${index}`);
        return engine.has('a');
      }),
    );
    expect(new Set(await Promise.all(uses))).toEqual(new Set([true]));
    expect([older.state, newer.state]).toEqual([SOUND, SOUND]);
  });

  test.each([
    ['older', [STEPS, LATER]],
    ['newer', [LATER, STEPS]],
  ])('both open at once, the %s first', async (_first, releases) => {
    const factory = new IDBFactory();
    const engines = releases.map((steps) => new Engine(factory, steps));
    await Promise.all(engines.map((engine, index) => engine.store(`${index}`)));
    for (const engine of engines) {
      expect(await Promise.all([engine.has('0'), engine.has('1')])).toEqual([true, true]);
      expect(engine.state).toEqual(SOUND);
    }
  });
});

describe('a release that was rolled back', () => {
  test('finds all that it knows, and what it stores is there for the newer one again', async () => {
    const factory = new IDBFactory();
    await new Engine(factory, STEPS).store('a');
    await new Engine(factory, LATER).store('b');
    const rolledBack = new Engine(factory, STEPS);
    expect([await rolledBack.has('a'), await rolledBack.has('b')]).toEqual([true, true]);
    await rolledBack.store('c');
    expect(await versionOf(factory)).toBe(LATER.length);
    expect(rolledBack.state).toEqual(SOUND);
    expect(await new Engine(factory, LATER).has('c')).toBe(true);
  });

  test('makes no database of a version that its steps do not lead to', async () => {
    const factory = new IDBFactory();
    (await openWith(AFTER_LATER, factory)).close();
    const open = factory.open.bind(factory);
    // It is deleted between the refusal of the older version and the opening of whichever there is.
    factory.open = (name, version): IDBOpenDBRequest => {
      if (version === undefined) factory.deleteDatabase(name);
      return open(name, version);
    };
    const rolledBack = new Engine(factory, LATER);
    await rolledBack.store('a');
    expect([await versionOf(factory), rolledBack.state]).toEqual([LATER.length, SOUND]);
  });
});

describe('an upgrade that cannot be', () => {
  test('blocked for good, it ends after three seconds in memory, and that is told', async () => {
    const factory = new IDBFactory();
    await new Engine(factory, STEPS).store('a');
    const other = await stubborn(factory);
    const newer = new Engine(factory, LATER);
    const connecting = newer.database.connect();
    await newer.clock.advance(2_999);
    expect(newer.state).toEqual({ mode: 'closed', reasons: [] });
    await newer.clock.advance(1);
    expect(await connecting).toBeNull();
    expect(newer.state).toEqual({ mode: 'memory', reasons: ['IndexedDB did not answer within 3 s'] });
    other.close();
  });

  test('it stands in nobody’s way once it is no longer blocked', async () => {
    const factory = new IDBFactory();
    await new Engine(factory, STEPS).store('a');
    const other = await stubborn(factory);
    const newer = new Engine(factory, LATER);
    const connecting = newer.database.connect();
    await newer.clock.advance(3_000);
    await connecting;
    other.close();
    await settle();
    // Nobody has the late connections: they would block every later upgrade in their turn.
    const last = new Engine(factory, AFTER_LATER);
    expect([await last.has('a'), last.state]).toEqual([true, SOUND]);
  });

  test('it leaves the older version as it was where a step goes wrong, and says so', async () => {
    const factory = new IDBFactory();
    const [older, newer] = [new Engine(factory, STEPS), new Engine(factory, MISTAKEN)];
    await older.store('a');
    expect(await newer.database.connect()).toBeNull();
    const [from, to] = [STEPS.length, MISTAKEN.length];
    const reason = `The database cannot be brought from version ${from} to ${to}: Error: mistake`;
    expect(newer.state).toEqual({ mode: 'memory', reasons: [reason] });
    expect(await versionOf(factory)).toBe(STEPS.length);
    await older.store('b');
    expect([await older.has('a'), await older.has('b'), older.state]).toEqual([true, true, SOUND]);
    const opened = await older.database.connect();
    expect([...(opened?.connection.objectStoreNames ?? [])]).toEqual([
      'bodies',
      'feeds',
      'loops',
      'meta',
      'patches',
      'responses',
    ]);
  });
});
