import { expect, test, vi } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { NewWrite, WaitingWrite } from '../contracts/outbox-store.ts';
import { write } from '../outbox/write.fixture.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbOutbox, OutboxFull } from './idb-outbox.ts';
import { IdbResponses } from './idb-responses.ts';
import { OUTBOX_STEPS } from './migrations.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { raiseGeneration } from './partitions.ts';
import { StoredOutbox } from './outbox.ts';
import { record, replaceBy } from './record.fixture.ts';
import { SlowDatabase } from './slow-database.fixture.ts';

const BODY: RequestBody = { kind: 'text', text: '{"title":"Dusk"}' };

class Stage {
  readonly database: FullDatabase = new FullDatabase({ steps: OUTBOX_STEPS });
  readonly answers: FullDatabase = new FullDatabase();
  readonly outbox: IdbOutbox = new IdbOutbox(this.database, this.answers);

  async add(name: string, body: RequestBody = BODY): Promise<WaitingWrite> {
    const [added] = await this.outbox.add([{ write: draft(name), body }]);
    if (!added || added instanceof OutboxFull) throw new Error('It was not added');
    return added;
  }
}

function draft(name: string): NewWrite {
  const { place: _place, ...rest } = write(0, { entry: name, key: name });
  return rest;
}

test('writes are kept in the order in which they came, with their bodies', async () => {
  const { outbox } = new Stage();
  const added = await outbox.add([
    { write: draft('a'), body: BODY },
    { write: draft('b'), body: { kind: 'none' } },
  ]);
  expect(added).toMatchObject([{ place: 1 }, { place: 2 }]);
  expect(await outbox.all()).toEqual(added);
  const [first, second] = await outbox.all();
  if (!first || !second) throw new Error('None was added');
  expect(await outbox.bodies([first, second])).toEqual([BODY, { kind: 'none' }]);
});

test('one of a name is added once, as it is by then', async () => {
  const stage = new Stage();
  const added = await stage.add('a');
  await stage.outbox.change([{ ...added, state: 'done', attempts: 1 }], null);
  expect(await stage.add('a', { kind: 'none' })).toMatchObject({ place: 1, state: 'done', attempts: 1 });
  expect([await stage.outbox.all(), await stage.outbox.bodies([added])]).toMatchObject([[], [BODY]]);
});

test('a place is never used twice, though its write has ended and is forgotten', async () => {
  const stage = new Stage();
  const added = await stage.add('a');
  await stage.outbox.change([{ ...added, state: 'done', endedAt: 1_000 }], null);
  await stage.outbox.sweep(2_000, 2_000);
  expect((await stage.add('b')).place).toBe(2);
  expect([await stage.outbox.all(), await stage.outbox.ended(null)]).toMatchObject([[{ entry: 'b' }], []]);
});

test('one that has ended waits no more, and is known until it is swept', async () => {
  const stage = new Stage();
  const { outbox } = stage;
  const added = await stage.add('a');
  await outbox.change([{ ...added, state: 'done', endedAt: 1_000 }], null);
  await outbox.sweep(1_000, 2_000);
  expect(await outbox.all()).toEqual([]);
  expect(await outbox.ended(['a', 'none'])).toMatchObject([{ entry: 'a', state: 'done' }]);
  await outbox.sweep(1_001, 2_000);
  expect(await outbox.ended(null)).toEqual([]);
});

test('one about which somebody has decided is not changed by who does not know that', async () => {
  const stage = new Stage();
  const { outbox } = stage;
  const added = await stage.add('a');
  await outbox.decide('a', (each) => ({ ...each, key: 'new' }), null);
  const others = await outbox.change([{ ...added, state: 'sending' }], null);
  expect(others.get(added.place)).toMatchObject({ key: 'new', state: 'queued', version: 1 });
  expect(await outbox.all()).toMatchObject([{ key: 'new', state: 'queued' }]);
});

test('a decision changes what is stored, its body too; what is discarded is known for a while', async () => {
  const stage = new Stage();
  const { outbox } = stage;
  const added = await stage.add('a');
  const body = { kind: 'text', text: 'other' } as const;
  const made = await outbox.decide('a', (each) => ({ ...each, key: 'new' }), body);
  expect(made).toMatchObject({ before: added, after: { key: 'new', version: 1 } });
  expect([await outbox.all(), await outbox.bodies([added])]).toMatchObject([[{ key: 'new' }], [body]]);
  await outbox.decide('a', (each) => ({ ...each, state: 'discarded' }), null);
  expect([await outbox.all(), await outbox.bodies([added])]).toEqual([[], [null]]);
  expect(await outbox.decide('a', (each) => each, null)).toBeNull();
  expect(await stage.add('a')).toMatchObject({ state: 'discarded', version: 2 });
});

test('only the engine that acts changes what waits; each may add and decide', async () => {
  const stage = new Stage();
  const before = await raiseGeneration(stage.database);
  const added = await stage.add('a');
  await raiseGeneration(stage.database);
  await expect(stage.outbox.change([added], before)).rejects.toThrow(StaleGeneration);
  await stage.add('b');
  await stage.outbox.decide('a', (each) => ({ ...each, state: 'discarded' }), null);
  expect(await stage.outbox.all()).toMatchObject([{ entry: 'b' }]);
});

test('all is removed together, whatever it is', async () => {
  const stage = new Stage();
  const added = await stage.add('a');
  await stage.add('b');
  await stage.outbox.decide('b', (each) => ({ ...each, state: 'discarded' }), null);
  await stage.outbox.clear();
  const { outbox } = stage;
  expect([await outbox.all(), await outbox.ended(null), await outbox.bodies([added])]).toEqual([
    [],
    [],
    [null],
  ]);
});

test('answers give way to a write', async () => {
  const stage = new Stage();
  const answers = new IdbResponses(new FakeSystem(), stage.answers);
  for (const key of ['a', 'b', 'c', 'd']) await answers.update(key, replaceBy(record(key, 100)));
  stage.database.refusals.push(true);
  await stage.add('a');
  expect(await answers.keys()).toEqual(['c', 'd']);
});

test('a write of before there was the question needs no credentials', async () => {
  const stage = new Stage();
  const { needsCredentials: _none, ...before } = await stage.add('a');
  await stage.database.transact(['outbox'], 'readwrite', (transaction) =>
    transaction.objectStore('outbox').put(before),
  );
  expect(await stage.outbox.all()).toEqual([{ ...before, needsCredentials: false }]);
});

test('what is damaged stays, and is told apart', async () => {
  const stage = new Stage();
  const added = await stage.add('a');
  await stage.database.transact(['outbox'], 'readwrite', (transaction) =>
    transaction.objectStore('outbox').put({ ...added, lane: 7 }),
  );
  expect(await stage.outbox.all()).toEqual([null]);
});

test('no more writes wait than the limit says', async () => {
  const stage = new Stage();
  await stage.database.transact(['outbox'], 'readwrite', async (transaction) => {
    const store = transaction.objectStore('outbox');
    for (let place = 1; place < LIMITS.waitingWrites; place += 1)
      await store.put({ place, entry: String(place) });
  });
  const arrivals = ['a', 'b'].map((name) => ({ write: draft(name), body: BODY }));
  const results = await stage.outbox.add(arrivals);
  expect(results).toEqual([expect.objectContaining({ entry: 'a' }), expect.any(OutboxFull)]);
});

test('bodies that are asked for in one turn are read by one transaction, which waits for no change', async () => {
  const stage = new Stage();
  const stored = new StoredOutbox(stage.database, stage.answers);
  const [one, other] = [await stage.add('a'), await stage.add('b', { kind: 'none' })];
  const transact = vi.spyOn(stage.database, 'transact');
  const changing = stage.outbox.change([{ ...one, state: 'sending' }], null);
  const bodies = await Promise.all([
    stored.body(one),
    stored.body(other),
    stored.body({ ...one, place: 99 }),
  ]);
  expect(bodies).toEqual([
    { kind: 'found', value: BODY },
    { kind: 'found', value: { kind: 'none' } },
    { kind: 'absent' },
  ]);
  expect(await stored.body(other)).toMatchObject({ kind: 'found' });
  await changing;
  const stores = transact.mock.calls.map(([names]) => names);
  expect(stores).toEqual([expect.not.arrayContaining(['payloads']), ['payloads'], ['payloads']]);
});

test('thousands of temporary ids are looked up in transactions that end in time', async () => {
  const database = new SlowDatabase('outbox', { steps: OUTBOX_STEPS });
  const temporaryIds = Array.from({ length: LIMITS.waitingWrites }, (_, n) => `temporary ${n}`);
  const named = await new IdbOutbox(database, database).names(temporaryIds);
  expect([[...named.keys()], database.late]).toEqual([temporaryIds, 0]);
});
