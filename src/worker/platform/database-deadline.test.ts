import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { until } from './system.fixture.ts';
import { settle, stateOf, VirtualClock } from './virtual-clock.fixture.ts';
import { Database } from '../storage/database.ts';
import { hold } from '../storage/held-database.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { DatabaseDeadline, DatabaseLate } from './database-deadline.ts';

class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly indexedDB: HangingFactory = new HangingFactory();
  readonly database: Database = new Database(this, '/#default', () => {});

  read(): Promise<unknown> {
    return this.database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get('x'),
    );
  }

  write(): Promise<unknown> {
    return this.database.transact(['meta'], 'readwrite', (transaction) =>
      transaction.objectStore('meta').put('y', 'x'),
    );
  }

  /** Open, and hanging from now on. */
  static async hanging(): Promise<Stage> {
    const stage = new Stage();
    await stage.write();
    stage.indexedDB.hangs = () => true;
    return stage;
  }
}

test.each(['read', 'write'] as const)('a %s that hangs is given up at the deadline', async (what) => {
  const stage = await Stage.hanging();
  const done = stage[what]();
  const state = stateOf(done);
  await stage.clock.advance(LIMITS.transaction - 1);
  expect(await state).toBe('pending');
  await stage.clock.advance(1);
  await expect(done).rejects.toThrow(DatabaseLate);
});

test('after one that was late the others fail at once, until the database answers', async () => {
  const stage = await Stage.hanging();
  const late = stage.read();
  late.catch(() => {});
  await stage.clock.advance(LIMITS.transaction);
  expect(await stateOf(late)).toBe('rejected');
  const { begun } = stage.indexedDB;
  for (let call = 0; call < 20; call += 1) await expect(stage.read()).rejects.toThrow(DatabaseLate);
  expect(stage.indexedDB.begun).toBe(begun);
  await stage.clock.advance(60_000);
  await expect(stage.read()).rejects.toThrow(DatabaseLate);
  stage.indexedDB.hangs = () => false;
  await stage.clock.advance(40_000);
  expect(await stage.read()).toBe('y');
});

test('it is used again as soon as it answers, however long it has not', async () => {
  const stage = new Stage();
  await stage.write();
  const release = await hold(stage);
  for (let minute = 0; minute < 5; minute += 1) {
    stage.read().catch(() => {});
    await stage.clock.advance(60_000);
  }
  await expect(stage.read()).rejects.toThrow(DatabaseLate);
  release();
  let read: unknown = null;
  await until(() => {
    stage.read().then(
      (found) => (read = found),
      () => {},
    );
    return read !== null;
  });
  expect(read).toBe('y');
});

test('one that hangs alone costs those after it nothing', async () => {
  const stage = await Stage.hanging();
  const { begun } = stage.indexedDB;
  stage.indexedDB.hangs = (nth) => nth === begun + 1;
  const late = stage.read();
  late.catch(() => {});
  await stage.clock.advance(LIMITS.transaction);
  await settle();
  expect([await stateOf(late), await stage.read()]).toEqual(['rejected', 'y']);
});

/** Late for half a minute: a probe that may take as long has just begun. */
async function longLate(): Promise<Stage> {
  const stage = await Stage.hanging();
  stage.read().catch(() => {});
  await stage.clock.advance(32_000);
  return stage;
}

/** What a read finds now; null if it is refused. */
async function readNow(stage: Stage): Promise<unknown> {
  const read = stage.read().catch(() => null);
  await settle();
  return read;
}

test('a probe that hangs alone costs those who want the database no more than a transaction may take', async () => {
  const stage = await longLate();
  stage.indexedDB.hangs = () => false;
  expect(await readNow(stage)).toBeNull();
  await stage.clock.advance(LIMITS.transaction);
  expect(await readNow(stage)).toBe('y');
});

test('where nobody wants it for a while, the first that does brings the second probe', async () => {
  const stage = await longLate();
  stage.indexedDB.hangs = () => false;
  await stage.clock.advance(10_000);
  expect([await readNow(stage), await readNow(stage)]).toEqual([null, 'y']);
});

test.each([
  ['that nobody wants', 2, async () => {}],
  ['that is wanted all the time', 4, (stage: Stage) => stage.read().catch(() => {})],
])('a database %s is probed %i times a minute, for hours', async (_what, aMinute, want) => {
  const stage = await longLate();
  const { begun } = stage.indexedDB;
  for (let second = 0; second < 7_200; second += 1) {
    await want(stage);
    await stage.clock.advance(1_000);
  }
  expect((stage.indexedDB.begun - begun) / 120).toBe(aMinute);
  expect(stage.clock.asleep).toBe(1);
  stage.indexedDB.hangs = () => false;
  await stage.clock.advance(30_000);
  expect([await stage.read(), stage.clock.asleep]).toEqual(['y', 0]);
});

test('an error is an answer: it is told as it is, and nothing waits for a probe', async () => {
  const stage = new Stage();
  await stage.write();
  await expect(
    stage.database.transact(['meta'], 'readonly', () => Promise.reject(new Error('broken'))),
  ).rejects.toThrow('broken');
  expect(await stage.read()).toBe('y');
});

test('a probe that is refused as late at once is followed by no other in the same moment', async () => {
  const clock = new VirtualClock();
  let probes = 0;
  const deadline = new DatabaseDeadline(clock, async () => {
    probes += 1;
    if (probes < 1_000) throw new DatabaseLate('its place is late');
  });
  deadline.within(() => new Promise(() => {})).catch(() => {});
  await clock.advance(LIMITS.transaction);
  expect(probes).toBe(1);
  await clock.advance(60_000);
  expect(probes).toBeLessThan(10);
});
