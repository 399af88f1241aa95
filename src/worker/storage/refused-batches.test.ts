import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import type { StoreName, Transaction } from './database.ts';
import { FullDatabase, watched } from './full-database.fixture.ts';
import { IdbLoops } from './idb-loops.ts';
import { IdbResponses } from './idb-responses.ts';
import { loop } from './loop-record.fixture.ts';
import { orderOf, record, replaceBy } from './record.fixture.ts';
import { WriteBehind } from './write-behind.ts';

/** A browser that has no room for any value, whatever is removed: other sites have filled the disk. */
class FilledDatabase extends FullDatabase {
  isFilled = false;

  constructor() {
    super();
    Object.defineProperty(this, 'isFull', { get: () => this.isFilled, set: () => {} });
  }
}

/** A browser that has room for small values alone, whatever is removed: Chromium tidies up later. */
class NarrowDatabase extends FullDatabase {
  isNarrow = false;

  override transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    return super.transact(stores, mode, async (transaction) => {
      let isLarge = false;
      const note = (name: string, [value]: readonly unknown[]): void => {
        isLarge ||= name === 'put' && sizeOf(value) > 50_000;
      };
      const result = await work(watched(transaction, note));
      if (this.isNarrow && isLarge) throw new DOMException('full', 'QuotaExceededError');
      return result;
    });
  }
}

function sizeOf(value: unknown): number {
  return value instanceof ArrayBuffer ? value.byteLength : (Object(value).body?.byteLength ?? 0);
}

/** 64 answers are stored when the browser has no more room. */
async function filled(): Promise<{ system: FakeSystem; database: FilledDatabase; answers: IdbResponses }> {
  const [system, database] = [new FakeSystem(), new FilledDatabase()];
  const answers = new IdbResponses(system, database);
  const keys = Array.from({ length: 64 }, (_, n) => `stored ${n}`);
  for (const key of keys) await answers.update(key, replaceBy(record(key, 100)));
  database.isFilled = true;
  return { system, database, answers };
}

test('answers that are refused together and then one by one have half of the others give way, as does their removal', async () => {
  const { system, answers } = await filled();
  const behind = new WriteBehind(
    system,
    async () => answers,
    async () => {},
  );
  const stored = ['a', 'b', 'c', 'd'].map((key) => behind.add(orderOf(record(key, 100))));
  expect(await Promise.all(stored)).toEqual([false, false, false, false]);
  await behind.settled();
  expect(await answers.keys()).toHaveLength(16);
});

test('answers that gave way in vain are the last to do so, until half a minute has passed', async () => {
  const { database, answers } = await filled();
  const isFull = { name: 'QuotaExceededError' };
  for (let n = 0; n < 8; n += 1) {
    await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toMatchObject(isFull);
  }
  expect(await answers.keys()).toHaveLength(32);
  await database.virtualClock.advance(30_001);
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toMatchObject(isFull);
  expect(await answers.keys()).toHaveLength(16);
});

test('answers give way to the state of a loop, though others gave way in vain just before', async () => {
  const { system, database, answers } = await filled();
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toThrow('full');
  await expect(new IdbLoops(system.clock, database).save(loop('loop'), null)).rejects.toThrow('full');
  expect(await answers.keys()).toHaveLength(16);
});

test('states of loops that are refused together cost half of the answers once', async () => {
  const { system, database, answers } = await filled();
  const loops = new IdbLoops(system.clock, database);
  await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => loops.save(loop(key), null)));
  expect(await answers.keys()).toHaveLength(32);
});

test('a large answer that finds no room costs half of the others once, though small ones are stored meanwhile', async () => {
  const [system, database] = [new FakeSystem(), new NarrowDatabase()];
  const answers = new IdbResponses(system, database);
  for (let n = 0; n < 64; n += 1)
    await answers.update(`stored ${n}`, replaceBy(record(`stored ${n}`, 10_000)));
  database.isNarrow = true;
  const behind = new WriteBehind(
    system,
    async () => answers,
    async () => {},
  );
  const left: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    expect(await behind.add(orderOf(record('large', 100_000)))).toBe(false);
    await behind.settled();
    left.push((await answers.keys()).length);
  }
  expect(left).toEqual([32, 32, 32, 32, 32]);
});

test('once a write finds room, answers give way to the next that does not', async () => {
  const { database, answers } = await filled();
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toThrow('full');
  database.isFilled = false;
  await answers.update('new', replaceBy(record('new', 100)));
  database.isFilled = true;
  await expect(answers.update('newer', replaceBy(record('newer', 100)))).rejects.toThrow('full');
  expect(await answers.keys()).toHaveLength(16);
});
