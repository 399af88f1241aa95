import { expect, test, vi } from 'vitest';
import { settle, turns } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { BODY, draft, World } from './copied-outbox.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

const fails = (): Promise<never> => Promise.reject(new Error('no'));

test('an engine that is retired while it compares leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  const world = new World();
  const before = world.engine(fails);
  await before.outbox.add(draft('a'), BODY);
  const { outbox, database } = world.engine();
  await outbox.all();
  database.retire();
  await settle();
  await settle();
  process.off('unhandledRejection', hear);
  expect(unhandled).toEqual([]);
});

test('an edit in one engine is not overwritten by what another one says late of an attempt before it', async () => {
  const world = new World();
  const one = world.engine();
  const added = await one.outbox.add(draft('a'), BODY);
  const { promise, resolve } = new Deferred();
  // Started anew: its other place opens late.
  const other = world.engine(() => promise);
  // It has what it waits for of a lost one already.
  await other.outbox.change([{ ...added, attempts: 1, failures: 1 }]);
  await one.outbox.decide('a', (each) => ({ ...each, key: 'edited' }), { kind: 'text', text: 'Dawn' });
  resolve();
  await settle();
  expect([...(await one.copy.index()).values()]).toMatchObject([{ write: { key: 'edited' } }]);
  expect(await one.copy.bodies([{ ...added, key: 'edited' }])).toMatchObject([{ text: 'Dawn' }]);
});

test('what another engine has ended is not copied afterwards by the one that added it', async () => {
  const world = new World();
  const one = world.engine();
  await one.outbox.all();
  const { promise, resolve } = new Deferred();
  const other = world.engine(() => promise);
  const adding = other.outbox.add(draft('a'), BODY);
  await settle();
  const found = await one.outbox.all();
  const [added] = found.kind === 'found' ? found.value : [];
  if (!added) throw new Error('It is not there');
  await one.outbox.change([{ ...added, state: 'done', attempts: 1, endedAt: 5 }]);
  await world.clock.advance(200);
  resolve();
  await adding;
  await world.clock.advance(200);
  expect([...(await one.copy.index()).keys()]).toEqual([]);
});

test('one that is added once more is in the copy before that is said: its worker died before it was', async () => {
  const world = new World();
  await world.engine(fails).outbox.add(draft('a'), BODY);
  const next = world.engine();
  await next.outbox.add(draft('a'), BODY);
  await settle();
  expect([...(await next.copy.index()).keys()]).toEqual(['a']);
});

test('what one engine has discarded is not taken back by another one that has read the copy before', async () => {
  const world = new World();
  await world.engine().outbox.add(draft('a'), BODY);
  world.indexedDB = new IDBFactory();
  const { promise, resolve } = new Deferred();
  const [one, other] = [world.engine(), world.engine()];
  const read = other.copy.index.bind(other.copy);
  other.copy.index = async () => {
    const found = await read();
    await promise;
    return found;
  };
  const reading = other.outbox.all();
  await settle();
  await one.outbox.clear();
  resolve();
  await reading;
  expect(await one.outbox.all()).toMatchObject({ value: [] });
});

test('a name is not left in the copy by what had ended before all was cleared', async () => {
  const world = new World();
  const { outbox, copy } = world.engine();
  const added = await outbox.add({ ...draft('a'), temporaryId: 'temporary-a', idAt: '/id' }, BODY);
  const wrong: unknown[] = [];
  for (let k = 0; k < 12; k += 1) {
    const ended = {
      ...added,
      entry: `e${k}`,
      temporaryId: `t${k}`,
      state: 'done',
      givenId: 7,
      endedAt: 5,
    } as const;
    void copy.drop([ended.entry], [ended]);
    await settle();
    void world.clock.advance(100);
    await turns(k);
    await copy.clear();
    await world.clock.advance(500);
    const left = await copy.names();
    if (left.length > 0) wrong.push(k);
    await copy.clear();
  }
  expect(wrong).toEqual([]);
});

test('where the database cannot be opened, a decision and a list are refused, not kept waiting', async () => {
  const world = new World();
  world.indexedDB.open = () => {
    throw new DOMException('broken', 'UnknownError');
  };
  const { outbox } = world.engine();
  await expect(outbox.decide('a', (each) => each, null)).rejects.toThrow('All promises were rejected');
  await expect(outbox.ended(['a'])).rejects.toThrow('All promises were rejected');
});

test('what is added while many are taken back, part by part, comes behind all of them', async () => {
  const world = new World();
  const { outbox } = world.engine();
  const entries = Array.from({ length: 150 }, (_, index) => `w${index}`);
  await Promise.all(entries.map((each) => outbox.add(draft(each), BODY)));
  const wrong: number[] = [];
  for (let count = 0; count < 120; count += 8) {
    world.indexedDB = new IDBFactory();
    world.clock.set(1_000);
    const next = world.engine().outbox;
    const all = next.all();
    await turns(count);
    await next.add(draft(`late ${count}`), BODY);
    await all;
    const found = await next.all();
    const last = found.kind === 'found' ? found.value.at(-1)?.entry : null;
    if (last !== `late ${count}`) wrong.push(count);
  }
  expect(wrong).toEqual([]);
});

test('an edit that did not fit into the copy reaches it later, though an attempt has failed meanwhile', async () => {
  const world = new World();
  const { outbox, copy } = world.engine();
  await outbox.add(draft('a'), BODY);
  const keep = copy.keep.bind(copy);
  copy.keep = async (kept) => {
    if (kept.some(({ body }) => body !== null)) throw new DOMException('full', 'QuotaExceededError');
    return keep(kept);
  };
  const body = { kind: 'text', text: 'Dawn' } as const;
  const made = await outbox.decide('a', (each) => ({ ...each, key: 'edited' }), body);
  if (!made) throw new Error('It is there');
  await settle();
  await outbox.change([{ ...made.after, attempts: 1, failures: 1 }]);
  await settle();
  copy.keep = keep;
  for (let second = 0; second < 10; second += 1) await world.clock.advance(1_000);
  world.indexedDB = new IDBFactory();
  const next = world.engine().outbox;
  const found = await next.all();
  const all = found.kind === 'found' ? found.value : [];
  expect([all, await next.bodies(all)]).toMatchObject([[{ key: 'edited' }], [body]]);
});

test('an edit that leaves what is sent is in the copy before that is said', async () => {
  const { outbox, copy } = new World().engine();
  await outbox.add(draft('a'), BODY);
  const made = await outbox.decide('a', (each) => ({ ...each, key: 'edited' }), null);
  expect(await copy.index()).toEqual(new Map([['a', { write: made?.after, bytes: 8 }]]));
});

test('what a write sends is taken from the copy where its record is damaged, unless the copy lacks its last edit', async () => {
  const { outbox, copy, database } = new World().engine();
  const [added, other] = await Promise.all(['a', 'b'].map((each) => outbox.add(draft(each), BODY)));
  if (!added || !other) throw new Error('There are two');
  const body = { kind: 'text', text: 'Dawn' } as const;
  await outbox.decide('b', (each) => ({ ...each, key: 'edited' }), body);
  await database.transact(['payloads'], 'readwrite', (transaction) =>
    transaction.objectStore('payloads').put({ place: added.place, body: 'rotten' }),
  );
  const asked = vi.spyOn(copy, 'bodies');
  const edited = { ...added, key: 'edited' };
  expect(await outbox.bodies([added, { ...other, key: 'edited' }, edited])).toEqual([BODY, body, null]);
  expect(asked).toHaveBeenCalledExactlyOnceWith([added, edited]);
  asked.mockImplementation(fails);
  expect(await outbox.bodies([added, other])).toEqual([null, body]);
});
