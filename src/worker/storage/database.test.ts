import { unwrap } from 'idb';
import { expect, test, vi } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { until } from '../platform/system.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { Database } from './database.ts';
import type { Place, TellStorage } from '../contracts/root-store.ts';
import { forceCloseDatabase, IDBFactory, IDBOpenDBRequest } from './indexeddb.fixture.ts';

class Stage {
  readonly reasons: string[] = [];
  /** When the databases that were opened were made. */
  readonly opened: number[] = [];
  fullness = 0;
  readonly database: Database;

  readonly clock: VirtualClock;

  constructor(indexedDB: IDBFactory | null, clock: VirtualClock = new VirtualClock()) {
    this.clock = clock;
    const tell: TellStorage = (news) => {
      if (news.kind === 'memory') this.reasons.push(news.reason);
      else if (news.kind === 'opened') this.opened.push(news.madeAt);
      else this.fullness += 1;
    };
    this.database = new Database({ clock, indexedDB }, 'default', tell);
  }

  put(value: string): Promise<unknown> {
    return this.database.transact(['meta'], 'readwrite', (transaction) =>
      transaction.objectStore('meta').put(value, 'x'),
    );
  }

  get(): Promise<unknown> {
    return this.database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get('x'),
    );
  }
}

/** A factory whose attempts to open go as given, one after the other; later ones go well. */
function factory(
  ...attempts: ('opens' | 'hangs' | 'fails')[]
): IDBFactory & { readonly opened: () => number } {
  const real = new IDBFactory();
  let opened = 0;
  const open = (name: string, version?: number): IDBOpenDBRequest => {
    opened += 1;
    const attempt = attempts.shift();
    if (attempt === 'fails') throw new DOMException('broken disk', 'UnknownError');
    return attempt === 'hangs' ? new IDBOpenDBRequest() : real.open(name, version);
  };
  return Object.assign(Object.create(real), { open, opened: () => opened });
}

/** Resolves when the database is deleted, which every open connection would hinder. */
async function deletion(indexedDB: IDBFactory): Promise<void> {
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('offstage:default').addEventListener('success', resolve);
  });
}

test('nothing opens before the first use, and one connection serves all uses', async () => {
  const indexedDB = factory();
  const stage = new Stage(indexedDB);
  expect([indexedDB.opened(), stage.database.mode]).toEqual([0, 'closed']);
  await Promise.all([stage.put('a'), stage.put('b')]);
  expect(await stage.get()).toBe('b');
  expect([indexedDB.opened(), stage.database.mode]).toEqual([1, 'indexeddb']);
});

test('the database is named after its partition', async () => {
  const indexedDB = new IDBFactory();
  await new Stage(indexedDB).put('a');
  expect((await indexedDB.databases()).map(({ name }) => name)).toEqual(['offstage:default']);
});

test('without IndexedDB there is memory', async () => {
  const stage = new Stage(null);
  expect(await stage.database.connect()).toBeNull();
  expect(await stage.database.connect()).toBeNull();
  expect([stage.database.mode, stage.reasons]).toEqual(['memory', ['IndexedDB is missing here']]);
});

test('a failed opening is tried once more', async () => {
  const stage = new Stage(factory('fails'));
  await stage.put('a');
  expect([stage.database.mode, stage.reasons]).toEqual(['indexeddb', []]);
});

test('after the second failure there is memory, and it is told why', async () => {
  const stage = new Stage(factory('fails', 'fails'));
  expect(await stage.database.connect()).toBeNull();
  await expect(stage.get()).rejects.toThrow('cannot be opened');
  expect([stage.database.mode, stage.reasons]).toEqual(['memory', ['broken disk']]);
});

test('an opening that hangs is joined by a second one', async () => {
  const stage = new Stage(factory('hangs'));
  const put = stage.put('a');
  await stage.clock.advance(1_500);
  await put;
  expect(stage.database.mode).toBe('indexeddb');
});

test('where both hang there is memory after three seconds', async () => {
  const stage = new Stage(factory('hangs', 'hangs'));
  const connecting = stage.database.connect();
  await stage.clock.advance(2_999);
  expect(stage.database.mode).toBe('closed');
  await stage.clock.advance(1);
  expect(await connecting).toBeNull();
  expect(stage.reasons).toEqual(['IndexedDB did not answer within 3 s']);
});

/** A clock on which the first sleep is over at once, and no other ever. */
class ImpatientClock extends VirtualClock {
  #sleeps = 0;

  override sleep(): Promise<void> {
    this.#sleeps += 1;
    return this.#sleeps === 1 ? Promise.resolve() : new Promise(() => {});
  }
}

test('the first attempt is taken where it answers after all', async () => {
  const stage = new Stage(factory('opens', 'hangs'), new ImpatientClock());
  await stage.put('a');
  expect(stage.database.mode).toBe('indexeddb');
});

test('where both answer, only one connection stays open', async () => {
  const indexedDB = factory('opens', 'opens');
  await new Stage(indexedDB, new ImpatientClock()).put('a');
  expect(indexedDB.opened()).toBe(2);
  await deletion(indexedDB);
});

test('a transaction completes as a whole or not at all', async () => {
  const stage = new Stage(new IDBFactory());
  await stage.put('a');
  const failing = stage.database.transact(['meta'], 'readwrite', async (transaction) => {
    await transaction.objectStore('meta').put('b', 'x');
    throw new Error('mistake');
  });
  await expect(failing).rejects.toThrow('mistake');
  expect(await stage.get()).toBe('a');
});

test('a connection that the browser closed is opened again', async () => {
  const stage = new Stage(new IDBFactory());
  await stage.put('a');
  const connection = await stage.database.connect();
  if (connection) Reflect.apply(forceCloseDatabase, null, [unwrap(connection.connection)]);
  await settle();
  expect(stage.database.mode).toBe('closed');
  expect(await stage.get()).toBe('a');
});

test('it is opened again though nobody uses it, since what was stored may be gone: once a second', async () => {
  const stage = new Stage(new IDBFactory());
  await stage.put('a');
  await stage.clock.advance(400);
  const connection = await stage.database.connect();
  if (connection) Reflect.apply(forceCloseDatabase, null, [unwrap(connection.connection)]);
  await settle();
  await stage.clock.advance(599);
  expect(stage.database.mode).toBe('closed');
  await stage.clock.advance(1);
  await until(() => stage.opened.length === 2);
  expect(stage.database.mode).toBe('indexeddb');
});

test('one that is retired meanwhile is not', async () => {
  const stage = new Stage(new IDBFactory());
  await stage.put('a');
  const connection = await stage.database.connect();
  if (connection) Reflect.apply(forceCloseDatabase, null, [unwrap(connection.connection)]);
  await settle();
  stage.database.retire();
  await stage.clock.advance(1_000);
  expect(stage.opened).toHaveLength(1);
});

test('one that turns out to be closed without a word is opened again', async () => {
  const stage = new Stage(new IDBFactory());
  await stage.put('a');
  (await stage.database.connect())?.connection.close();
  expect(await stage.get()).toBe('a');
});

test('a failure that is no lost connection is not tried again', async () => {
  const stage = new Stage(new IDBFactory());
  const work = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('mistake')));
  await expect(stage.database.transact(['meta'], 'readonly', work)).rejects.toThrow('mistake');
  expect(work).toHaveBeenCalledTimes(1);
});

test('the connection gives way to whoever deletes the database', async () => {
  const indexedDB = new IDBFactory();
  const stage = new Stage(indexedDB);
  await stage.put('a');
  await deletion(indexedDB);
  expect(stage.database.mode).toBe('closed');
  expect(await stage.get()).toBeUndefined();
});

test('every engine that opens it tells when it was made, whichever of them made it', async () => {
  const indexedDB = new IDBFactory();
  const clock = new VirtualClock();
  const stages = [new Stage(indexedDB, clock), new Stage(indexedDB, clock)];
  for (const round of [1, 2, 3]) {
    for (const stage of round === 2 ? stages.toReversed() : stages) {
      await stage.put('a');
      await settle();
    }
    const times = stages.map(({ opened }) => opened.at(-1));
    expect(times).toEqual([clock.now(), clock.now()]);
    await clock.advance(1);
    await deletion(indexedDB);
  }
});

test('a database that is opened again is told as the same one', async () => {
  const indexedDB = new IDBFactory();
  const stage = new Stage(indexedDB);
  await stage.put('a');
  const connection = await stage.database.connect();
  if (connection) Reflect.apply(forceCloseDatabase, null, [unwrap(connection.connection)]);
  await settle();
  await stage.clock.advance(1);
  expect(await stage.get()).toBe('a');
  await settle();
  expect(stage.opened).toHaveLength(2);
  expect(new Set(stage.opened).size).toBe(1);
});

test('that the browser has no more room is told at most once a second', async () => {
  const stage = new Stage(new IDBFactory());
  for (const wait of [0, 999, 1, 1_000]) {
    await stage.clock.advance(wait);
    stage.database.noteFull();
  }
  expect(stage.fullness).toBe(3);
});

test('a database of a later version is used as far as it is known', async () => {
  const indexedDB = new IDBFactory();
  const stage = new Stage(indexedDB);
  await stage.put('a');
  const later = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('offstage:default', 99);
    opening.addEventListener('success', () => resolve(opening.result));
  });
  later.close();
  expect(await stage.get()).toBe('a');
  expect(stage.reasons).toEqual([]);
});

test('a database whose place is known late opens with the first use after that, however often it was used before', async () => {
  const clock = new VirtualClock();
  const { promise: place, resolve } = new Deferred<Place>();
  const database = new Database({ clock, indexedDB: new IDBFactory() }, place, () => {});
  const first = database.connect().catch(String);
  await clock.advance(LIMITS.transaction);
  expect(await first).toContain('It is not known within 2000 ms');
  // It is late, which is said at once.
  await expect(database.connect()).rejects.toThrow('It is not known within 2000 ms');
  resolve({ kind: 'database', partition: 'default', owner: null });
  await settle();
  expect(await database.connect()).not.toBeNull();
});
