import { expect, test } from 'vitest';
import type { LoopStore } from '../contracts/loop-store.ts';
import { foundIn } from '../contracts/response-store.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { entry, loop } from './loop-record.fixture.ts';
import { StoredLoops } from './loops.ts';
import type { Database } from './database.ts';
import { Partitions, raiseIn } from './partitions.ts';
import { orderOf, record } from './record.fixture.ts';
import { Responses } from './responses.ts';

/** All that is stored, as an engine has it. */
class Stores {
  readonly reasons: string[] = [];
  readonly responses: Responses;
  readonly #clock = new VirtualClock();
  readonly #partitions: Partitions;
  readonly #databases = new Map<string, Database>();
  readonly #loops = new Map<string, StoredLoops>();

  constructor(indexedDB: IDBFactory | null) {
    const { digest, pause, uuid } = new FakeSystem();
    const system = { clock: this.#clock, indexedDB, digest, pause, uuid };
    this.#partitions = new Partitions(system, '/', (news) => {
      if (news.kind === 'memory') this.reasons.push(news.reason);
    });
    this.responses = new Responses(system, this.database());
  }

  database(partition = 'default'): Database {
    const database = this.#databases.get(partition) ?? this.#partitions.open(partition);
    this.#databases.set(partition, database);
    return database;
  }

  loops(partition = 'default'): LoopStore {
    const loops = this.#loops.get(partition) ?? new StoredLoops(this.#clock, this.database(partition));
    this.#loops.set(partition, loops);
    return loops;
  }
}

function counting(): IDBFactory & { readonly opened: string[] } {
  const real = new IDBFactory();
  const opened: string[] = [];
  const open = (name: string, version?: number): IDBOpenDBRequest => {
    opened.push(name);
    return real.open(name, version);
  };
  return Object.assign(Object.create(real), { open, opened });
}

test('loops and answers of a partition lie in one database, which one connection serves', async () => {
  const indexedDB = counting();
  const stores = new Stores(indexedDB);
  stores.loops();
  await settle();
  expect(indexedDB.opened).toEqual([]);
  await Promise.all([stores.loops().save(loop('a'), null), stores.responses.write(orderOf(record('a')))]);
  expect(indexedDB.opened).toEqual(['offstage:/#default']);
  expect(foundIn(await new Stores(indexedDB).loops().find('a'))).toEqual(loop('a'));
});

test('the generation that an engine raises is that of its loops', async () => {
  const stores = new Stores(new IDBFactory());
  const own = await raiseIn(stores.database(), 0);
  await stores.loops().save(loop('a'), own);
  await raiseIn(stores.database(), 0);
  await expect(stores.loops().save(loop('a', { failures: 1 }), own)).rejects.toThrow(StaleGeneration);
  expect(foundIn(await stores.loops().find('a'))).toEqual(loop('a'));
});

test.each([new IDBFactory(), null])('partitions know nothing of each other', async (indexedDB) => {
  const stores = new Stores(indexedDB);
  await stores.loops('alice').append(loop('a', { last: 1 }), entry(1), null);
  expect(foundIn(await stores.loops('bob').find('a'))).toBeNull();
  await stores.loops('bob').prune('a', 1, 0, null);
  expect(foundIn(await stores.loops('alice').entries('a', 0, 10))).toEqual([entry(1)]);
});

test.each([new IDBFactory(), null])(
  'clearing the answers leaves loops and feeds alone',
  async (indexedDB) => {
    const stores = new Stores(indexedDB);
    await stores.loops().append(loop('a', { last: 1 }), entry(1), null);
    await stores.responses.write(orderOf(record('a')));
    await stores.responses.clear();
    expect(await stores.responses.find('a')).toEqual({ kind: 'absent' });
    expect(foundIn(await stores.loops().find('a'))).toEqual(loop('a', { last: 1 }));
    expect(foundIn(await stores.loops().entries('a', 0, 10))).toEqual([entry(1)]);
  },
);

test('without a database loops live in memory, whatever the generation, and that is told once', async () => {
  const stores = new Stores(null);
  expect(await stores.loops().append(loop('a', { last: 1 }), entry(1), 7)).toBe(1);
  await stores.loops().save(loop('b'), 3);
  expect(foundIn(await stores.loops().find('a'))).toEqual(loop('a', { last: 1 }));
  await stores.loops().prune('a', 1, 0, 7);
  expect(foundIn(await stores.loops().entries('a', 0, 10))).toBeNull();
  expect(await stores.responses.find('a')).toEqual({ kind: 'absent' });
  expect(stores.reasons).toEqual(['IndexedDB is missing here']);
});
