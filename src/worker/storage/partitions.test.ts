import { expect, test } from 'vitest';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { assertGeneration, raiseGeneration } from './partitions.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

const factory = new IDBFactory();

function open(partition: string): Database {
  return new Database({ clock: new VirtualClock(), indexedDB: factory }, partition, () => {});
}

/** Writes as the acting engine of that generation, and tells what is stored then. */
async function write(database: Database, generation: number, value: string): Promise<unknown> {
  await database.transact(['meta'], 'readwrite', async (transaction) => {
    await transaction.objectStore('meta').put(value, 'test');
    await assertGeneration(transaction, generation);
  });
  return database.transact(['meta'], 'readonly', (transaction) =>
    transaction.objectStore('meta').get('test'),
  );
}

test('each engine that acts has a generation of its own, one above the last', async () => {
  const [page, worker] = [open('one'), open('one')];
  expect([await raiseGeneration(page), await raiseGeneration(worker)]).toEqual([1, 2]);
  expect(await raiseGeneration(open('other'))).toBe(1);
});

test('an engine that acts no longer writes nothing', async () => {
  const [page, worker] = [open('two'), open('two')];
  const own = await raiseGeneration(page);
  expect(await write(page, own, 'page')).toBe('page');
  const next = await raiseGeneration(worker);
  await expect(write(page, own, 'late')).rejects.toThrow(StaleGeneration);
  expect(await write(worker, next, 'worker')).toBe('worker');
  await expect(write(page, own, 'late')).rejects.toThrow("the generation is 2, this engine's own is 1");
  const stored = await page.transact(['meta'], 'readonly', (transaction) =>
    transaction.objectStore('meta').get('test'),
  );
  expect(stored).toBe('worker');
});
