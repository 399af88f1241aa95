import { expect, test } from 'vitest';
import { settle, turns } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { deleteAll } from '../queued-writes/outbox-stage.fixture.ts';
import { BODY, draft, World } from './copied-outbox.fixture.ts';
import { HangingFactory } from './hanging-database.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

/** An outbox in which one write waits, and that is left by its engine. */
async function left(world: World): Promise<void> {
  const { outbox, database } = world.engine();
  await outbox.add(draft('a'), BODY);
  await outbox.retire();
  database.retire();
  await settle();
}

/** A minute goes by, in which transactions complete as soon as they can. */
async function later({ clock }: World): Promise<void> {
  for (let step = 0; step < 120; step += 1) {
    await settle();
    await clock.advance(500);
  }
}

test('databases that go while the two are compared: the copy stays, and what waits comes back', async () => {
  const world = new World();
  await left(world);
  const { outbox, copy } = world.engine();
  const read = copy.index.bind(copy);
  let reads = 0;
  copy.index = async () => {
    const found = await read();
    if ((reads += 1) === 1) await deleteAll(world.indexedDB);
    return found;
  };
  await outbox.all();
  for (let round = 0; round < 10; round += 1) await settle();
  await world.clock.advance(5_000);
  await outbox.all();
  await world.clock.advance(20_000);
  expect(reads).toBeGreaterThan(0);
  expect([...(await read()).keys(), await outbox.all()]).toMatchObject(['a', { value: [{ entry: 'a' }] }]);
});

test('where what waits could not be cleared, its copy is made again', async () => {
  const world = new World();
  const disk = new HangingFactory();
  world.indexedDB = disk;
  const { outbox, copy } = world.engine();
  await outbox.all();
  await outbox.add(draft('a'), BODY);
  await settle();
  disk.refuses = (stores, mode) => mode === 'readwrite' && stores.includes('outbox');
  await expect(outbox.clear()).rejects.toThrow('late');
  disk.refuses = () => false;
  await later(world);
  await outbox.all();
  expect([...(await copy.index()).keys()]).toEqual(['a']);
});

test('a name of what has just ended is not in the copy after all was cleared', async () => {
  const world = new World();
  const { outbox, copy } = world.engine();
  await outbox.all();
  const added = await outbox.add({ ...draft('a'), temporaryId: 'temporary-a', idAt: '/id' }, BODY);
  await outbox.change([{ ...added, state: 'done', givenId: 7, endedAt: 5 }]);
  await outbox.clear();
  await world.clock.advance(500);
  await settle();
  expect(await copy.names()).toEqual([]);
});

test('what is added while all is cleared is in both or in none', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 40; k += 1) {
    const world = new World();
    const { outbox, copy } = world.engine();
    await outbox.all();
    await outbox.add(draft('a'), BODY);
    await settle();
    const clearing = turns(k % 8).then(() => outbox.clear());
    await turns(Math.floor(k / 8));
    await outbox.add(draft('b'), BODY);
    await clearing;
    await settle();
    await world.clock.advance(1_000);
    const found = await outbox.all();
    const there = found.kind === 'found' ? found.value.map(({ entry }) => entry) : [];
    const copied = [...(await copy.index()).keys()];
    if (there.join() !== copied.join()) wrong.push([k, there, copied]);
  }
  expect(wrong).toEqual([]);
});

test('what has ended leaves the copy though its engine is retired while the copy opens anew', async () => {
  const world = new World();
  const first = world.engine();
  const added = await first.outbox.add(draft('a'), BODY);
  await first.outbox.all();
  for (let round = 0; round < 5; round += 1) await settle();
  const { promise, resolve } = new Deferred();
  const { outbox, copy } = world.engine(() => promise);
  await outbox.change([{ ...added, state: 'done', attempts: 1, endedAt: 5 }]);
  await world.clock.advance(150);
  const retiring = outbox.retire();
  await settle();
  resolve();
  await retiring;
  await world.clock.advance(500);
  expect([...(await first.copy.index()).keys()]).toEqual([]);
  expect(copy).toBeDefined();
});

test('databases that go while they take back: the copy stays, and what waits comes back', async () => {
  const world = new World();
  await left(world);
  world.indexedDB = new IDBFactory();
  const { outbox, copy } = world.engine();
  const read = copy.names.bind(copy);
  let reads = 0;
  copy.names = async () => {
    const found = await read();
    if ((reads += 1) === 1) await deleteAll(world.indexedDB);
    return found;
  };
  await outbox.all();
  for (let round = 0; round < 10; round += 1) await settle();
  await world.clock.advance(20_000);
  expect([...(await copy.index()).keys(), await outbox.all()]).toMatchObject([
    'a',
    { value: [{ entry: 'a' }] },
  ]);
});

test('writes that come one after the other are copied before they are acknowledged again, once the copy works', async () => {
  const world = new World();
  const disk = new HangingFactory();
  world.spare = disk;
  const { outbox, copy } = world.engine();
  const read = copy.index.bind(copy);
  await outbox.add(draft('a'), BODY);
  disk.refuses = () => true;
  await outbox.add(draft('b'), BODY);
  disk.refuses = () => false;
  // To compare takes a second.
  copy.index = async () => {
    const found = await read();
    await world.clock.sleep(1_000);
    return found;
  };
  const late: number[] = [];
  for (let second = 0; second < 120; second += 1) {
    await world.clock.advance(900);
    const keep = copy.keep.bind(copy);
    let isKept = false;
    copy.keep = async (kept) => {
      await keep(kept);
      if (kept.some((each) => each.write.entry === `w${second}`)) isKept = true;
    };
    await outbox.add(draft(`w${second}`), BODY);
    copy.keep = keep;
    if (!isKept) late.push(second);
  }
  // Nobody waits for half a minute.
  expect(late.filter((second) => second > 60)).toEqual([]);
});

test('a decision that waits for a person is not overwritten by what was compared before it', async () => {
  const world = new World();
  const first = world.engine();
  const added = await first.outbox.add(draft('a'), BODY);
  await first.outbox.all();
  for (let round = 0; round < 5; round += 1) await settle();
  await first.outbox.retire();
  await deleteAll(world.spare);
  const { outbox, copy } = world.engine();
  const keep = copy.keep.bind(copy);
  const { promise, resolve } = new Deferred();
  let kept = 0;
  copy.keep = async (given) => {
    // The other place is slow as all is copied.
    if ((kept += 1) === 1) await promise;
    await keep(given);
  };
  await outbox.all();
  for (let round = 0; round < 10; round += 1) await settle();
  expect(kept).toBe(1);
  await outbox.change([{ ...added, state: 'conflict', attempts: 1, matches: '"2"' }]);
  await settle();
  resolve();
  await later(world);
  expect([...(await copy.index()).values()]).toMatchObject([{ write: { state: 'conflict' } }]);
});

test('that a write needs credentials by now comes into its copy', async () => {
  const world = new World();
  const { outbox, database } = world.engine();
  const added = await outbox.add(draft('a'), BODY);
  await outbox.take();
  // A life that ends while it is being sent has not copied that.
  await outbox.change([{ ...added, state: 'sending', attempts: 1, needsCredentials: true }]);
  await outbox.retire();
  database.retire();
  await settle();
  const next = world.engine();
  await next.outbox.all();
  await settle();
  expect((await next.copy.index()).get('a')?.write).toMatchObject({ needsCredentials: true });
});
