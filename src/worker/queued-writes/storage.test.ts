import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { houseOf } from '../house.fixture.ts';
import { BODY } from '../outbox/drainer.fixture.ts';
import { write } from '../outbox/write.fixture.ts';
import { newWrite } from '../outbox/write.ts';
import { FakeSystem, json, until, unreachable } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from '../storage/database.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { OUTBOX_STEPS } from '../storage/migrations.ts';
import { StoredOutbox } from '../storage/outbox.ts';
import { submission } from '../tab.fixture.ts';
import { LateDisk } from './late-disk.fixture.ts';
import { OutboxStage, OutboxTab, rounds, waitFor, goOn, deleteAll } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

describe('a database that opens late', () => {
  test('has what waits all the same: it is sent in that very life, and nobody is told that nothing waits', async () => {
    const disk = new LateDisk('outbox:');
    const stage = new OutboxStage(disk);
    const { answer } = stage;
    stage.answer = unreachable;
    const tab = stage.open();
    await tab.queue(1, 'first');
    await rounds();
    stage.restart();
    stage.answer = answer;
    disk.isLate = true;
    const next = stage.open();
    await next.greet();
    await goOn(stage, 10);
    expect(stage.performed).toEqual([]);
    const reply = await Promise.race([
      next.remote.control({ kind: 'list-outbox', after: null, entries: null }).catch(() => 'unknown'),
      rounds(20).then(() => 'unknown'),
    ]);
    expect(reply).not.toMatchObject({ page: { entries: [] } });
    disk.isLate = false;
    await goOn(stage, 20);
    expect(stage.performed).toEqual(['first']);
  });
});

describe('a call with a ticket that cannot be stored', () => {
  test('has one effect where the disk is late and has it all the same', async () => {
    const factory = new TroubledDisk();
    const stage = new OutboxStage(factory);
    const tab = stage.open();
    await tab.queue(1, 'first');
    await tab.heard('entry-1 done');
    await rounds();
    factory.isLate = true;
    const queued = tab.queue(2, 'Dusk');
    for (let n = 0; n < 10 && !tab.settled.includes(2); n += 1) await stage.world.clock.advance(1_000);
    await queued;
    factory.isLate = false;
    await stage.world.clock.advance(60_000);
    stage.restart();
    const next = stage.open();
    await next.greet();
    await rounds();
    await stage.world.clock.advance(60_000);
    expect(stage.performed).toEqual(['first', 'Dusk']);
  });

  test('is not performed twice where its worker dies with it, as a POST without a ticket is not', async () => {
    const stage = new OutboxStage(null);
    stage.answer = (seen) => {
      stage.perform(seen);
      return new Promise(() => {});
    };
    const tab = stage.open();
    tab.meet();
    const ticket = { entry: 'entry-1', key: 'key-1', resource: 'photos', action: 'add', lane: 'a' };
    const body = { kind: 'text', text: 'Dusk' } as const;
    const call = { ...submission(1, { method: 'POST', template: '/photos', body }), ticket };
    await tab.submitAll([call]);
    await until(() => stage.performed.length === 1);
    stage.restart();
    // The page hands it to the next worker: see `src/main/break-calls.test.ts`.
    stage.answer = () => null;
    const next = stage.open();
    next.meet();
    await next.submitAll([call]);
    await until(() => next.settled.includes(1));
    expect(stage.performed).toEqual(['Dusk']);
  });

  test('does not overtake what waits in its lane', async () => {
    const factory = new TroubledDisk();
    const stage = new OutboxStage(factory);
    const tab = stage.open();
    const wish = { method: 'PUT', template: '/photo/7' };
    let isBusy = true;
    stage.answer = ({ init }) => (isBusy && init.body === 'first' ? json({}, {}, 503) : null);
    await tab.queue(1, 'first', wish);
    await stage.failed(tab, 1);
    factory.isFull = true;
    await tab.queue(2, 'second', wish);
    factory.isFull = false;
    const end = tab.deliveries.find((each) => each.kind === 'settled' && each.id === 2);
    expect(end).toMatchObject({ outcome: { kind: 'failed', failure: { code: 'storage' } } });
    isBusy = false;
    await stage.world.clock.advance(120_000);
    await tab.heard('entry-1 done');
    expect(stage.performed).toEqual(['first']);
  });
});

test.each(['isBroken', 'isFull'] as const)(
  'a write that cannot be stored does not overtake what an earlier life has left in its lane: the disk %s',
  async (trouble) => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    stage.answer = () => json({}, {}, 503);
    const tab = stage.open();
    await tab.queue(1, 'first');
    await stage.failed(tab, 1);
    stage.restart();
    disk[trouble] = true;
    stage.answer = () => null;
    const next = stage.open();
    await next.queue(2, 'second');
    expect(next.deliveries.find((each) => each.kind === 'settled')).toMatchObject({
      outcome: { kind: 'failed', failure: { code: 'storage' } },
    });
    disk[trouble] = false;
    await waitFor(stage, 60_000);
    await next.heard('entry-1 done');
    expect(stage.performed).toEqual(['first']);
  },
);

test('a write that is told as not stored is not sent, though a late disk has it all the same', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  stage.answer = () => json({}, {}, 503);
  const tab = stage.open();
  await tab.queue(1, 'first');
  await stage.failed(tab, 1);
  disk.isLate = true;
  const queueing = tab.queue(2, 'second');
  await goOn(stage, 10);
  await queueing;
  expect(tab.deliveries.find((each) => each.kind === 'settled' && each.id === 2)).toMatchObject({
    outcome: { kind: 'failed', failure: { code: 'storage' } },
  });
  disk.isLate = false;
  stage.answer = () => null;
  await waitFor(stage, 120_000);
  stage.restart();
  const next = stage.open();
  await next.greet();
  await waitFor(stage, 120_000);
  expect(stage.performed).toEqual(['first']);
});

test('a browser that fails once to name its databases holds up nothing that waits', async () => {
  const factory = new IDBFactory();
  const stage = new OutboxStage(factory);
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  const databases = factory.databases.bind(factory);
  factory.databases = async () => Promise.reject(new DOMException('Internal error', 'UnknownError'));
  stage.restart();
  stage.answer = () => null;
  const next = stage.open();
  await next.greet();
  await rounds();
  factory.databases = databases;
  await next.remote.control({ kind: 'online' });
  await stage.world.clock.advance(3_600_000);
  await rounds();
  expect(stage.performed).toEqual(['Dusk']);
});

describe('a call that cannot be stored', () => {
  test('and is submitted again after a worker has died with it has one effect', async () => {
    const stage = new OutboxStage(null);
    const tab = stage.open();
    stage.answer = (seen) => {
      stage.perform(seen);
      return new Promise(() => {});
    };
    tab.meet();
    const ticket = { entry: 'entry-1', key: 'key-1', resource: 'photos', action: 'add', lane: 'a' };
    const body = { kind: 'text', text: 'Dusk' } as const;
    const call = { ...submission(1, { method: 'POST', template: '/photos', body }), ticket };
    await tab.submitAll([call]);
    await until(() => stage.performed.length === 1);
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    next.meet();
    // The page does so for whatever has a ticket: `isRepeatable` in main/session/call.ts.
    await next.submitAll([call]);
    await until(() => next.settled.includes(1));
    expect(stage.performed).toEqual(['Dusk']);
  });
});

test('a page hears that nothing waits any more where the outbox was deleted under the worker', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  await until(() => tab.waiting === 1);
  await deleteAll(stage.indexedDB);
  await stage.world.clock.advance(120_000);
  await rounds();
  expect([await tab.list(), tab.waiting]).toEqual([[], 0]);
});

test('what is done takes no place of what may wait', async () => {
  const indexedDB = new IDBFactory();
  const clock = new VirtualClock();
  const open = (name: string) => new Database({ clock, indexedDB }, name, () => {}, { steps: OUTBOX_STEPS });
  const database = open('waiting');
  const store = new StoredOutbox(database, open('answers'));
  const { place: _place, ...rest } = write(1);
  await database.transact(['ended'], 'readwrite', async (transaction) => {
    const ended = transaction.objectStore('ended');
    for (let place = 1; place <= LIMITS.waitingWrites; place += 1)
      void ended.put(write(place, { state: 'done', endedAt: 1, entry: `entry ${place}` }));
  });
  const ticket = { entry: 'new', key: 'k', resource: 'r', action: 'a', lane: 'l' };
  await expect(store.add(newWrite(ticket, rest.invocation, null, 0), BODY)).resolves.toMatchObject({
    entry: 'new',
  });
});

test('the browser is asked to wake the worker for what is queued, though its first attempt is not over', async () => {
  const world = Object.assign(new FakeSystem(), { indexedDB: new IDBFactory() });
  world.grant();
  // No answer comes: the train is in the tunnel. The tab is closed, and the browser ends the worker.
  world.serve = () => new Promise(() => {});
  let asked = 0;
  const house = houseOf(world, { askForSync: () => (asked += 1) });
  const tab = new OutboxTab((...message) => house.receive(...message), 'client 1');
  await tab.queue(1, 'Dusk');
  await rounds(5);
  expect([tab.queued, asked > 0]).toEqual([[1], true]);
});
