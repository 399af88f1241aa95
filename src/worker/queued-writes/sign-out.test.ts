import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { stateOf } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { onDisk } from '../storage/on-disk.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, rounds, goOn } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

function call(id: number, text: string, epoch?: number) {
  const ticket = { entry: `entry-${id}`, key: `key-${id}`, resource: 'photos', action: 'add', lane: 'a' };
  const body = { kind: 'text', text } as const;
  return {
    ...submission(id, { method: 'POST', template: '/photos', body }),
    ticket,
    ...(epoch !== undefined && { epoch }),
  };
}

test('sign-out with discard takes few transactions, however many wait', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  await tab.sign('anna');
  await tab.submitAll(Array.from({ length: 200 }, (_, n) => call(n + 1, `w${n}`, tab.epoch)));
  await until(() => tab.queued.length === 200);
  await stage.failed(tab, 1);
  const before = disk.writing;
  await tab.discard();
  expect(disk.writing - before).toBeLessThan(20);
});

test('sign-out with discard deletes what is damaged, too', async () => {
  const factory = new IDBFactory();
  const stage = new OutboxStage(factory);
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.sign('anna');
  await tab.queue(1, 'secret');
  await stage.failed(tab, 1);
  const name =
    (await factory.databases()).map((each) => String(each.name)).find((each) => each.includes('outbox')) ??
    '';
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = factory.open(name);
    request.addEventListener('success', () => resolve(request.result));
  });
  const all = (store: string): Promise<unknown[]> =>
    new Promise((resolve) => {
      const request = database.transaction([store]).objectStore(store).getAll();
      request.addEventListener('success', () => resolve(request.result));
    });
  const [record] = await all('outbox');
  // As a later release writes it, or a disk that has failed.
  database
    .transaction(['outbox'], 'readwrite')
    .objectStore('outbox')
    .put({ ...Object(record), attempts: null });
  await rounds(3);
  stage.restart();
  const next = stage.open();
  await next.sign('anna');
  expect(await next.list()).toEqual([]);
  await next.discard();
  expect([(await all('outbox')).length, (await all('payloads')).length]).toEqual([0, 0]);
});

test('nothing of a user is tried for ever after a sign-out while the disk is late', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.sign('anna');
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  disk.isBroken = true;
  await stage.world.clock.advance(20_000);
  const out = tab.sign(null);
  await stage.world.clock.advance(10_000);
  await out;
  disk.isBroken = false;
  await stage.world.clock.advance(60_000);
  const { clock } = stage.world;
  const sleep = clock.sleep.bind(clock);
  let sleeps = 0;
  clock.sleep = (milliseconds, signal) => {
    if (milliseconds === 8_000) sleeps += 1;
    return sleep(milliseconds, signal);
  };
  await clock.advance(120_000);
  expect(sleeps).toBe(0);
});

test('a sign-out with discard ends, though the disk fails', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.sign('anna');
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  disk.isFull = true;
  const out = tab.discard();
  out.catch(() => {});
  for (let n = 0; n < 60; n += 1) await stage.world.clock.advance(10_000);
  const state = await stateOf(out);
  disk.isFull = false;
  expect(state).not.toBe('pending');
});

test('where a sign-out with discard fails, the user stays, and what waits is sent', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.sign('anna');
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  disk.isFull = true;
  const out = tab.discard();
  const said = out.then(
    () => 'made',
    () => 'failed',
  );
  await goOn(stage, 5);
  expect(await said).toBe('failed');
  disk.isFull = false;
  stage.answer = () => null;
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['Dusk']);
});

test('sign-out with discard leaves nothing that was queued before it was answered', async () => {
  const stage = new OutboxStage();
  const [tab, other] = [stage.open(), stage.open()];
  stage.answer = () => json({}, {}, 503);
  await tab.sign('anna');
  await other.greet();
  other.epoch = tab.epoch;
  for (let id = 1; id <= 5; id += 1) await tab.queue(id, `old ${id}`);
  const out = tab.discard();
  out.catch(() => {});
  const late = other.queue(9, 'secret');
  await out;
  await late.catch(() => {});
  stage.answer = () => null;
  await tab.sign('anna');
  await stage.world.clock.advance(120_000);
  await rounds();
  expect([stage.performed, await tab.list()]).toEqual([[], []]);
});

test('answers to the writes of a user are gone soon after the sign-out, though the disk failed then', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.sign('anna');
  stage.answer = () => json({ diagnosis: 'private' }, {}, 201);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  await goOn(stage, 3);
  expect(await onDisk({ indexedDB: disk })).toContain('private');
  disk.isBroken = true;
  await Promise.all([tab.sign(null), goOn(stage, 5)]);
  disk.isBroken = false;
  await goOn(stage, 60);
  expect(await onDisk({ indexedDB: disk })).not.toContain('private');
});

test('what ends of a user who is back before that stays known, so that it is not sent a second time', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.sign('anna');
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  disk.isBroken = true;
  await Promise.all([tab.sign(null), goOn(stage, 20)]);
  disk.isBroken = false;
  await tab.sign('anna');
  await tab.queue(2, 'Dawn');
  await tab.heard('entry-2 done');
  await goOn(stage, 60);
  const before = stage.world.requests.length;
  // A page hands its call in again.
  await tab.queue(3, 'Dawn', {}, { entry: 'entry-2', key: 'key-2' });
  await goOn(stage, 5);
  expect(stage.world.requests.length - before).toBe(0);
});
