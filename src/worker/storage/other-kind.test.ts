import { expect, test } from 'vitest';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { write } from '../outbox/write.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { deleteAll } from '../queued-writes/outbox-stage.fixture.ts';
import { Database } from './database.ts';
import { IdbOutbox } from './idb-outbox.ts';
import { OUTBOX_STEPS } from './migrations.ts';
import { carryOutbox, OtherKind } from './other-kind.ts';
import { Partitions } from './partitions.ts';
import { BODY, draft } from './copied-outbox.fixture.ts';

const PARTITION = 'outbox:/#';

function databaseOf(system: FakeSystem, isEncrypted: boolean): Database {
  return new Database(system, PARTITION, () => {}, { isEncrypted, steps: OUTBOX_STEPS, givesUp: false });
}

function outboxOf(system: FakeSystem, isEncrypted: boolean): IdbOutbox {
  const database = databaseOf(system, isEncrypted);
  return new IdbOutbox(database, database);
}

/** Some wait, one of them is being sent, one has ended lately and one a while ago, which has named what it created. */
async function filled(system: FakeSystem): Promise<void> {
  const outbox = outboxOf(system, false);
  const drafts = ['past', 'ended', 'a', 'b', 'c'].map((name) => ({ write: draft(name), body: BODY }));
  const added = (await outbox.add(drafts)).filter((each): each is WaitingWrite => 'entry' in each);
  const [past, ended, a] = added;
  if (!past || !ended || !a) throw new Error('They were not added');
  await outbox.change([{ ...past, state: 'done', endedAt: 5, temporaryId: 'tmp', givenId: 7 }], null);
  await outbox.sweep(10, 10);
  await outbox.change([{ ...ended, state: 'done', endedAt: 15 }], null);
  await outbox.change([{ ...a, state: 'sending', attempts: 1 }], null);
}

async function expectAll(system: FakeSystem): Promise<void> {
  const outbox = outboxOf(system, true);
  const all = (await outbox.all()).map((each) => [
    each?.entry,
    each?.place,
    each?.key,
    each?.state,
    each?.attempts,
  ]);
  expect(all).toEqual([
    ['a', 3, 'a', 'sending', 1],
    ['b', 4, 'b', 'queued', 0],
    ['c', 5, 'c', 'queued', 0],
  ]);
  expect(await outbox.bodies([3, 4, 5].map((place) => write(place)))).toEqual([BODY, BODY, BODY]);
  const ended = await outbox.ended(['past', 'ended']);
  expect(ended.map(({ entry, state }) => [entry, state])).toEqual([
    ['past', 'done'],
    ['ended', 'done'],
  ]);
  expect(await outbox.names(['tmp'])).toEqual(new Map([['tmp', { kind: 'given', id: 7 }]]));
  expect(await outbox.add([{ write: draft('d'), body: BODY }])).toMatchObject([{ place: 6 }]);
}

async function names({ indexedDB }: FakeSystem): Promise<(string | undefined)[]> {
  await settle();
  return ((await indexedDB?.databases()) ?? []).map(({ name }) => name);
}

test('all is carried over: in its order, in its state, and what has ended is known', async () => {
  const system = new FakeSystem();
  await filled(system);
  await new OtherKind(system, PARTITION, true).carry(PARTITION);
  expect(await names(system)).toEqual(['offstage:encrypted:outbox:/#']);
  await expectAll(system);
});

test('what is queued as the outbox opens comes after what waited in the other kind', async () => {
  const system = new FakeSystem();
  await filled(system);
  const place = Promise.resolve({ kind: 'database', partition: 'default', owner: null } as const);
  const database = new Partitions(system, '/', () => {}, true).openOutbox(place);
  const outbox = new IdbOutbox(database, database);
  await outbox.add([{ write: draft('d'), body: BODY }]);
  expect((await outbox.all()).map((each) => each?.entry)).toEqual(['a', 'b', 'c', 'd']);
});

test('whichever step is the last of its life, the next one has all, once', async () => {
  let steps = 0;
  for (let last = 0; last <= steps; last += 1) {
    const system = new FakeSystem();
    await filled(system);
    const [from, to] = [databaseOf(system, false), databaseOf(system, true)];
    let made = 0;
    for (const each of [from, to]) {
      const transact = each.transact.bind(each);
      each.transact = async (...given) => {
        if ((made += 1) > last) throw new Error('The worker has ended');
        return transact(...given);
      };
    }
    await carryOutbox(from, to, 'mark').catch(() => {});
    steps = Math.max(steps, made);
    for (const each of [from, to]) each.retire();
    await new OtherKind(system, PARTITION, true).carry(PARTITION);
    await expectAll(system);
  }
  expect(steps).toBeGreaterThan(6);
});

test('what cannot be carried over stays where it is, and keeps its outbox waiting for ten seconds at most', async () => {
  const system = new FakeSystem();
  await filled(system);
  const { clock, indexedDB } = system;
  const kind = new OtherKind({ clock, indexedDB, crypto: null }, PARTITION, true);
  await expect(kind.carry(PARTITION)).rejects.toThrow('WebCrypto');
  await clock.advance(9_000);
  await expect(kind.carry(PARTITION)).rejects.toThrow('WebCrypto');
  await clock.advance(1_000);
  await kind.carry(PARTITION);
  expect(await names(system)).toEqual(['offstage:outbox:/#']);
  await new OtherKind(system, PARTITION, true).carryAll();
  await expectAll(system);
});

test.each([true, false])(
  'where databases are not named, nothing is made of an outbox that is not there; encrypted: %s',
  async (isEncrypted) => {
    const system = new FakeSystem();
    const { clock, indexedDB, crypto } = system;
    const silent = Object.create(indexedDB, { databases: { value: undefined } });
    await new OtherKind({ clock, indexedDB: silent, crypto }, PARTITION, isEncrypted).carry(PARTITION);
    expect(await names(system)).toEqual([]);
  },
);

test('an outbox that is lost meanwhile is not taken to have all', async () => {
  const system = new FakeSystem();
  await filled(system);
  const [from, to] = [databaseOf(system, false), databaseOf(system, true)];
  const transact = from.transact.bind(from);
  let reads = 0;
  from.transact = async (...given) => {
    if ((reads += 1) === 3) await deleteAll(system.indexedDB);
    return transact(...given);
  };
  await expect(carryOutbox(from, to, 'mark')).rejects.toThrow('not yet');
});

test('what is added while it is carried over is carried over, too', async () => {
  const system = new FakeSystem();
  await filled(system);
  const [from, to] = [databaseOf(system, false), databaseOf(system, true)];
  const transact = from.transact.bind(from);
  let reads = 0;
  from.transact = async (...given) => {
    if ((reads += 1) === 3) await outboxOf(system, false).add([{ write: draft('d'), body: BODY }]);
    return transact(...given);
  };
  await carryOutbox(from, to, 'mark');
  expect((await outboxOf(system, true).all()).map((each) => each?.entry)).toEqual(['a', 'b', 'c', 'd']);
});

test('a damaged write is carried over as it is: nobody may lose it unseen', async () => {
  const system = new FakeSystem();
  await filled(system);
  await databaseOf(system, false).transact(['outbox'], 'readwrite', (transaction) =>
    transaction.objectStore('outbox').put({ place: 9, entry: 'damaged' }),
  );
  await new OtherKind(system, PARTITION, true).carry(PARTITION);
  const outbox = outboxOf(system, true);
  expect((await outbox.all()).map((each) => each?.entry)).toEqual(['a', 'b', 'c', undefined]);
  expect(await names(system)).toEqual(['offstage:encrypted:outbox:/#']);
});
