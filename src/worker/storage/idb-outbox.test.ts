import { expect, test } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { NewWrite } from '../contracts/outbox-store.ts';
import { write } from '../outbox/write.fixture.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbOutbox, OutboxFull } from './idb-outbox.ts';
import { IdbResponses } from './idb-responses.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { raiseGeneration } from './partitions.ts';
import { record, replaceBy } from './record.fixture.ts';

const BODY: RequestBody = { kind: 'text', text: '{"title":"Dusk"}' };

function draft(name: string): NewWrite {
  const { place: _place, ...rest } = write(0, { id: name, key: name });
  return rest;
}

test('writes are kept in the order in which they came, with their bodies', async () => {
  const outbox = new IdbOutbox(new FullDatabase());
  const added = [await outbox.add(draft('a'), BODY), await outbox.add(draft('b'), { kind: 'none' })];
  expect(added.map(({ place }) => place)).toEqual([1, 2]);
  expect(await outbox.all()).toEqual(added);
  const [first, second] = added;
  if (!first || !second) throw new Error('None was added');
  expect([await outbox.body(first), await outbox.body(second)]).toEqual([BODY, { kind: 'none' }]);
});

test('a place is never used twice, though its write is gone', async () => {
  const outbox = new IdbOutbox(new FullDatabase());
  const { place } = await outbox.add(draft('a'), BODY);
  await outbox.remove([place], null);
  expect((await outbox.add(draft('b'), BODY)).place).toBe(2);
  expect(await outbox.all()).toMatchObject([{ id: 'b' }]);
});

test('a write that is gone is not changed back into being', async () => {
  const outbox = new IdbOutbox(new FullDatabase());
  const added = await outbox.add(draft('a'), BODY);
  await outbox.change([{ ...added, state: 'sending', attempts: 1 }], null);
  expect(await outbox.all()).toMatchObject([{ state: 'sending', attempts: 1 }]);
  await outbox.remove([added.place], null);
  await outbox.change([added], null);
  expect([await outbox.all(), await outbox.body(added)]).toEqual([[], null]);
});

test('only the engine that acts changes what waits; each may add', async () => {
  const database = new FullDatabase();
  const outbox = new IdbOutbox(database);
  const before = await raiseGeneration(database);
  const added = await outbox.add(draft('a'), BODY);
  await raiseGeneration(database);
  await expect(outbox.change([added], before)).rejects.toThrow(StaleGeneration);
  await expect(outbox.remove([added.place], before)).rejects.toThrow(StaleGeneration);
  await outbox.add(draft('b'), BODY);
  expect(await outbox.all()).toHaveLength(2);
});

test('answers give way to a write', async () => {
  const database = new FullDatabase();
  const answers = new IdbResponses(new FakeSystem(), database);
  for (const key of ['a', 'b', 'c', 'd']) await answers.update(key, replaceBy(record(key, 100)));
  database.isFull = true;
  await new IdbOutbox(database).add(draft('a'), BODY);
  expect(await answers.keys()).toEqual(['c', 'd']);
});

test('what is damaged stays, and is told apart', async () => {
  const database = new FullDatabase();
  const outbox = new IdbOutbox(database);
  const added = await outbox.add(draft('a'), BODY);
  await database.transact(['outbox'], 'readwrite', (transaction) =>
    transaction.objectStore('outbox').put({ ...added, lane: 7 }),
  );
  expect(await outbox.all()).toEqual([null]);
});

test('no more writes wait than the limit says', async () => {
  const database = new FullDatabase();
  const outbox = new IdbOutbox(database);
  await database.transact(['outbox'], 'readwrite', async (transaction) => {
    const store = transaction.objectStore('outbox');
    for (let place = 1; place <= LIMITS.waitingWrites; place += 1) await store.put({ place });
  });
  await expect(outbox.add(draft('a'), BODY)).rejects.toThrow(OutboxFull);
});
