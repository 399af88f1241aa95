import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import type { NewWrite, WaitingWrite } from '../contracts/outbox-store.ts';
import { write } from '../outbox/write.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import { IdbOutbox } from './idb-outbox.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { OUTBOX_STEPS } from './migrations.ts';
import { onDisk } from './on-disk.fixture.ts';
import { SlowDatabase } from './slow-database.fixture.ts';

const BODY: RequestBody = { kind: 'text', text: 'secret of the body' };
const DAY = 86_400_000;

class Stage {
  readonly system: FakeSystem;
  readonly database: Database;
  readonly outbox: IdbOutbox;

  constructor(isEncrypted = false, system = new FakeSystem(), steps = OUTBOX_STEPS) {
    this.system = system;
    this.database = new Database(system, 'outbox', () => {}, { steps, isEncrypted });
    this.outbox = new IdbOutbox(this.database, this.database);
  }

  /** A write that is done at that time, with all that may be known of it. */
  async done(entry: string, endedAt: number, differing: Partial<WaitingWrite> = {}): Promise<void> {
    await this.outbox.add([{ write: draft(entry), body: BODY }]);
    const [added] = await this.outbox.ended([entry]);
    if (!added) throw new Error('It was not added');
    const answer = {
      status: 201,
      headers: [],
      body: { kind: 'value', value: 'secret of the answer' },
    } as const;
    const url = 'secret of the url';
    const ended = { ...added, state: 'done', endedAt, answer, url, ...differing } as const;
    await this.outbox.change([ended], null);
  }

  async states(...entries: string[]): Promise<unknown[]> {
    return (await this.outbox.ended(entries)).map(({ entry, state }) => [entry, state]);
  }
}

function draft(entry: string): NewWrite {
  const { invocation } = write(0);
  const params = [['id', 'secret of the params']] as const;
  const { place: _place, ...rest } = write(0, { entry, key: entry, lane: 'secret of the lane' });
  return { ...rest, invocation: { ...invocation, params } };
}

test.each([false, true])(
  'of a write that ended a while ago, it stays that it did; the database is encrypted: %s',
  async (isEncrypted) => {
    const stage = new Stage(isEncrypted);
    await stage.done('a', 1_000);
    await stage.outbox.sweep(2_000, 2_000);
    expect(await stage.outbox.ended(null)).toEqual([]);
    expect(await stage.outbox.ended(['a'])).toMatchObject([
      { entry: 'a', state: 'done', endedAt: 1_000, answer: null, url: null, lane: '' },
    ]);
    expect(await onDisk(stage.system)).not.toContain('secret of');
  },
);

test.each([
  [1_000_000, true],
  [8_000, false],
])(
  'of one that ended at %s ms as the clock said, at 5000 ms only that is known: %s',
  async (endedAt, isPast) => {
    const stage = new Stage();
    await stage.done('a', endedAt);
    await stage.outbox.sweep(2_000, 5_000);
    expect(await stage.states('a')).toEqual([['a', 'done']]);
    expect((await onDisk(stage.system)).includes('secret of')).toBe(!isPast);
  },
);

test('a clock that is behind for a while has nothing forgotten that ended before', async () => {
  const stage = new Stage();
  await stage.done('a', 100 * DAY);
  await stage.done('b', 101 * DAY);
  await stage.outbox.sweep(100 * DAY + 1, 101 * DAY);
  await stage.outbox.sweep(DAY - 1_000, DAY);
  await stage.outbox.sweep(102 * DAY - 1_000, 102 * DAY);
  expect(await stage.states('a', 'b')).toEqual([
    ['a', 'done'],
    ['b', 'done'],
  ]);
});

test('what has just ended is known, with its name, though as much as may be known ended while the clock was ahead', async () => {
  const stage = new Stage();
  await stage.database.transact(['past', 'names'], 'readwrite', async (transaction) => {
    for (let n = 0; n < LIMITS.endedWrites; n += 1) {
      const at = 400 * DAY + n;
      void transaction.objectStore('past').put(write(n, { entry: `older ${n}`, state: 'done', endedAt: at }));
      void transaction.objectStore('names').put({ temporaryId: `t ${n}`, id: n, why: null, at });
    }
  });
  for (const [n, entry] of ['a', 'b'].entries()) {
    await stage.done(entry, (35 - n) * DAY, { temporaryId: entry, givenId: 7 });
    await stage.outbox.sweep(36 * DAY, 37 * DAY);
  }
  expect(await stage.states('older 0', 'older 1', 'older 2', 'a', 'b')).toEqual([
    ['older 2', 'done'],
    ['a', 'done'],
    ['b', 'done'],
  ]);
  await stage.outbox.sweep(500 * DAY, 500 * DAY);
  const named = await stage.outbox.names(['t 0', 't 1', 't 2', 'a', 'b']);
  expect([...named.values()].map(({ kind }) => kind)).toEqual(['never', 'never', 'given', 'given', 'given']);
});

test('it is not added again, and is told with what its call says', async () => {
  const stage = new Stage();
  await stage.done('a', 1_000);
  await stage.outbox.sweep(2_000, 2_000);
  const added = await stage.outbox.add([{ write: draft('a'), body: BODY }]);
  const { invocation, lane } = draft('a');
  expect(added).toMatchObject([{ state: 'done', place: 1, invocation, lane }]);
  expect(await stage.outbox.all()).toEqual([]);
});

test('a write that is handed in twice at a time is added once', async () => {
  const { outbox } = new Stage();
  const arrival = { write: draft('a'), body: BODY };
  expect(await outbox.add([arrival, arrival])).toMatchObject([{ place: 1 }, { place: 1 }]);
  expect(await outbox.all()).toHaveLength(1);
});

test('it is known however late the clock says that it is', async () => {
  const stage = new Stage();
  await stage.done('a', DAY);
  await stage.outbox.sweep(2 * DAY, 2 * DAY);
  await stage.outbox.sweep(400 * DAY, 400 * DAY);
  expect(await stage.states('a')).toEqual([['a', 'done']]);
});

test('names are forgotten that are too many, older than thirty days, and used by nothing that waits', async () => {
  const stage = new Stage();
  const count = LIMITS.endedWrites + 2;
  await stage.database.transact(['names', 'outbox'], 'readwrite', async (transaction) => {
    for (let n = 0; n < count; n += 1) {
      const at = n < 3 ? n : 50 * DAY;
      void transaction.objectStore('names').put({ temporaryId: `t ${n}`, id: n, why: null, at });
    }
    await transaction.objectStore('outbox').put(write(1, { uses: ['t 0'] }));
  });
  await stage.outbox.sweep(60 * DAY, 60 * DAY);
  const named = await stage.outbox.names(['t 0', 't 1', 't 2', 't 3']);
  expect([...named.values()].map(({ kind }) => kind)).toEqual(['given', 'never', 'given', 'given']);
});

test('names that are too many are forgotten, the first ones first, though the clock was far ahead for a moment', async () => {
  const stage = new Stage();
  await stage.database.transact(['names', 'outbox'], 'readwrite', async (transaction) => {
    for (let n = 0; n < LIMITS.endedWrites + 3; n += 1) {
      const at = n < 1 ? 50 * DAY : 3_650 * DAY + n;
      void transaction.objectStore('names').put({ temporaryId: `t ${n}`, id: n, why: null, at });
    }
    await transaction.objectStore('outbox').put(write(1, { uses: ['t 1'] }));
  });
  await stage.outbox.sweep(60 * DAY, 60 * DAY);
  const named = await stage.outbox.names(['t 0', 't 1', 't 2', 't 3']);
  expect([...named.values()].map(({ kind }) => kind)).toEqual(['given', 'given', 'never', 'given']);
});

test('names that are too many are forgotten a few at a time, and those in use are passed over', async () => {
  const database = new SlowDatabase('outbox', { steps: OUTBOX_STEPS });
  const outbox = new IdbOutbox(database, database);
  const many = LIMITS.endedWrites + 5_000;
  for (let from = 0; from < many; from += 5_000)
    await database.transact(['names'], 'readwrite', async (transaction) => {
      for (let n = from; n < from + 5_000; n += 1)
        void transaction.objectStore('names').put({ temporaryId: `t ${n}`, id: n, why: null, at: n });
    });
  const used = Array.from({ length: 300 }, (_, n) => `t ${n}`);
  await database.transact(['outbox'], 'readwrite', (transaction) =>
    transaction.objectStore('outbox').put(write(1, { uses: used })),
  );
  await outbox.sweep(60 * DAY, 60 * DAY);
  const left = await database.transact(['names'], 'readonly', (transaction) =>
    transaction.objectStore('names').getAllKeys(),
  );
  const last = Array.from({ length: LIMITS.endedWrites }, (_, n) => `t ${5_000 + n}`);
  expect([database.late, new Set(left)]).toEqual([0, new Set([...used, ...last])]);
});

test('no more are known than the limit says: those that ended first are forgotten', async () => {
  const stage = new Stage();
  await stage.database.transact(['past'], 'readwrite', async (transaction) => {
    const past = transaction.objectStore('past');
    for (let n = 0; n < LIMITS.endedWrites + 200; n += 1)
      void past.put(write(n, { entry: `older ${n}`, state: 'discarded', endedAt: 10 + n }));
  });
  await stage.done('a', 1_000_000);
  await stage.outbox.sweep(2_000_000, 2_000_000);
  expect(await stage.states('older 200', 'older 201', 'a')).toEqual([
    ['older 201', 'discarded'],
    ['a', 'done'],
  ]);
});

test('however many have ended, each becomes past, and those that ended lately stay', async () => {
  const stage = new Stage();
  const ends = Array.from({ length: 300 }, (_, n): WaitingWrite => {
    const endedAt = n % 3 === 0 ? 5_000 : 1_000;
    return write(n + 1, { entry: `write ${n}`, state: 'done', endedAt });
  });
  await stage.database.transact(['ended'], 'readwrite', async (transaction) => {
    for (const each of ends) void transaction.objectStore('ended').put(each);
  });
  await stage.outbox.sweep(2_000, 6_000);
  expect(await stage.outbox.ended(null)).toHaveLength(100);
  expect(await stage.outbox.ended(ends.map(({ entry }) => entry))).toHaveLength(300);
});

test('nothing that has ended is known once all is forgotten, lately or not', async () => {
  const stage = new Stage();
  await stage.done('a', 1_000);
  await stage.outbox.sweep(2_000, 2_000);
  await stage.done('b', 3_000);
  await stage.outbox.forgetEnded();
  expect(await stage.states('a', 'b')).toEqual([]);
  expect(await onDisk(stage.system)).not.toContain('secret of');
});

test('an outbox of the first version keeps all that waits, and knows from then on what has ended', async () => {
  const system = Object.assign(new FakeSystem(), { indexedDB: new IDBFactory(), clock: new VirtualClock() });
  const older = new Stage(false, system, OUTBOX_STEPS.slice(0, 1));
  await older.database.transact(['outbox', 'ended'], 'readwrite', async (transaction) => {
    await transaction.objectStore('outbox').put(write(1, { entry: 'waits' }));
    await transaction.objectStore('ended').put(write(2, { entry: 'ended', state: 'done', endedAt: 1_000 }));
  });
  const newer = new Stage(false, system);
  await newer.outbox.sweep(2_000, 2_000);
  expect(await newer.states('waits', 'ended')).toEqual([
    ['waits', 'queued'],
    ['ended', 'done'],
  ]);
  // The older release is rolled out again.
  const all = await older.database.transact(['outbox'], 'readonly', (transaction) =>
    transaction.objectStore('outbox').getAll(),
  );
  expect(all).toHaveLength(1);
});
