import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { LateDisk } from './late-disk.fixture.ts';
import { deleteAll, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

const hang = (): Promise<never> => new Promise(() => {});

// The other place fails, is late or goes away, or the first one does while it takes back what was lost.

test('what could not be taken back at once is not lost: the disk is full for a moment', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  await waitingFor(stage, ['Dusk', 'Dawn']);
  const disk = new TroubledDisk();
  disk.isFull = true;
  stage.indexedDB = disk;
  stage.restart();
  const first = stage.open();
  first.meet();
  await goOn(stage, 5);
  disk.isFull = false;
  stage.restart();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('what could not be taken back at once is not lost: the copy cannot be read once', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  await waitingFor(stage, ['Dusk', 'Dawn']);
  stage.loseDatabases();
  let reads = 0;
  factory.refuses = (stores, mode) =>
    mode === 'readonly' && stores.includes('copiedBodies') && (reads += 1) === 1;
  stage.open().meet();
  await goOn(stage, 5);
  expect(reads).toBeGreaterThan(0);
  stage.restart();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('what is queued is copied again after the salt could not be kept beside it once', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  let refused = 0;
  factory.refuses = (stores, mode) =>
    refused === 0 && mode === 'readwrite' && stores.join() === 'meta' && (refused += 1) === 1 && 'AbortError';
  await waitingFor(stage, ['Dusk'], 'ada');
  expect(refused).toBe(1);
  await goOn(stage, 60);
  stage.loseDatabases();
  stage.answer = () => null;
  await stage.open().sign('ada');
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk']);
});

test('what a user queues after the copies were evicted alone outlives a later loss', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = await waitingFor(stage, ['Dusk'], 'ada');
  await deleteAll(spare.factory);
  await goOn(stage, 60);
  await tab.queue(2, 'Dawn');
  stage.loseDatabases();
  stage.answer = () => null;
  await stage.open().sign('ada');
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('copies are made again where the other place is gone, and another one is opened in its stead', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = await waitingFor(stage, ['Dusk']);
  const old = spare.factory;
  await deleteAll(old);
  old.open = () => {
    throw new DOMException('gone', 'UnknownError');
  };
  spare.factory = new IDBFactory();
  await goOn(stage, 120);
  await tab.queue(2, 'Dawn');
  await goOn(stage, 120);
  await tab.queue(3, 'Noon');
  expect(await spare.text()).toContain('Noon');
});

test.each([
  [
    'whose writing transactions are late',
    () =>
      Object.assign(new HangingFactory(), {
        hangs: (_: number, stores: readonly string[], mode: string) =>
          mode === 'readwrite' && stores.includes('copies'),
      }),
  ],
  [
    'that does not open the database of copies',
    () => Object.assign(new LateDisk('outbox'), { isLate: true }),
  ],
])('a place %s delays no acknowledgements again and again', async (_, make) => {
  const stage = new OutboxStage(new IDBFactory(), new Spare(make()));
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  const took: number[] = [];
  for (let id = 1; id <= 6; id += 1) {
    const before = stage.world.clock.now();
    const queued = tab.queue(id, `w${id}`);
    await rounds(5);
    for (let look = 0; look < 60 && !tab.queued.includes(id); look += 1) await stage.world.clock.advance(500);
    await queued;
    took.push(stage.world.clock.now() - before);
    await goOn(stage, 5);
  }
  expect(Math.max(...took.slice(2))).toBeLessThan(1_000);
});

test('what was done does not come back, though the copy failed once as it ended', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  const tab = await waitingFor(stage, ['Dusk']);
  let refused = 0;
  factory.refuses = (stores, mode) =>
    mode === 'readwrite' && stores.includes('copies') && (refused += 1) <= 2;
  stage.answer = () => null;
  await goOn(stage, 5);
  await tab.heard('entry-1 done');
  await goOn(stage, 600);
  stage.loseDatabases();
  stage.open().meet();
  await goOn(stage, 20);
  expect([refused > 0, stage.world.requests.length]).toEqual([true, 0]);
});

test('copies are made again, though the clock was set back after the other place did not open', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  spare.isBroken = true;
  const tab = await waitingFor(stage, ['Dusk']);
  spare.isBroken = false;
  stage.world.clock.set(-86_400_000);
  await goOn(stage, 60);
  await tab.queue(2, 'Dawn');
  expect(await spare.text()).toContain('Dawn');
});

test('what was acknowledged while the other place did not open is copied once it does', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  spare.isBroken = true;
  const tab = await waitingFor(stage, ['Dusk']);
  spare.isBroken = false;
  await goOn(stage, 60);
  await tab.queue(2, 'Dawn');
  await goOn(stage, 60);
  expect(await spare.text()).toContain('Dusk');
});

test('of what is done as its user signs out, the copy has nothing any more', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = stage.open();
  await tab.sign('ada');
  const time = new Deferred();
  stage.answer = (seen) => time.promise.then(() => stage.perform(seen));
  await tab.queue(1, 'Dusk');
  await rounds();
  const out = tab.sign(null);
  time.resolve();
  await goOn(stage, 60);
  await out;
  expect([stage.performed, await spare.text()]).toEqual([['Dusk'], expect.not.stringContaining('Dusk')]);
});

test.each([
  ['says nothing', { isThere: hang, open: hang }],
  ['does not open', { isThere: async () => true, open: hang }],
  [
    'opens no database',
    { isThere: async () => true, open: async () => Object.assign(new LateDisk(''), { isLate: true }) },
  ],
])(
  'where the other place %s, a start and its first write wait for it a few seconds at most',
  async (_, spare) => {
    const stage = new OutboxStage(new IDBFactory(), spare);
    const tab = stage.open();
    stage.answer = () => json({}, {}, 503);
    const began = stage.world.clock.now();
    const queued = tab.queue(1, 'Dusk');
    await rounds(3);
    for (let look = 0; look < 120 && !tab.queued.includes(1); look += 1) await stage.world.clock.advance(500);
    await queued;
    expect(stage.world.clock.now() - began).toBeLessThan(5_500);
  },
);
