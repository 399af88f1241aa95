import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

test('what another tab has queued is sent, though the disk failed as the tab that acts looked for it', async () => {
  const server = new OutboxStage(null);
  const indexedDB = new HangingFactory();
  const shared = { locks: new PlayedLocks(), indexedDB, uuid: () => crypto.randomUUID() };
  const [one, other] = [0, 1].map((index) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
    const house = houseOf(world, { host: 'page' });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), `client ${index}`) };
  });
  if (!one || !other) throw new Error('There are two');
  server.answer = (seen) => (seen.init.body === 'head' ? json({}, { 'Retry-After': '3600' }, 503) : null);
  await one.tab.queue(1, 'head', {}, { lane: 'b' });
  await server.failed(one.tab, 1);
  await other.tab.greet();
  await rounds();
  let refused = 0;
  indexedDB.refuses = (stores, mode) => {
    const isLook = mode === 'readonly' && stores.length === 1 && stores[0] === 'outbox';
    if (isLook) refused += 1;
    return isLook;
  };
  await other.tab.queue(2, 'Dusk');
  await rounds();
  indexedDB.refuses = () => false;
  expect([other.tab.queued, refused > 0]).toEqual([[2], true]);
  for (let n = 0; n < 600; n += 1) {
    await one.world.clock.advance(1_000);
    await other.world.clock.advance(1_000);
  }
  await rounds();
  expect(server.performed).toEqual(['Dusk']);
});

test('what comes back late is sent by the same worker, though the disk failed for a moment right then', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn']);
  const disk = new HangingFactory();
  stage.loseDatabases();
  stage.indexedDB = disk;
  stage.restart();
  spare.isBroken = true;
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  let back = 0;
  disk.refuses = (stores, mode) => {
    if (mode === 'readwrite' && stores.includes('payloads') && stores.includes('meta')) back += 1;
    // Only the first look after that.
    return back > 0 && back < 100 && mode === 'readonly' && stores.join() === 'outbox' && (back = 100) > 0;
  };
  spare.isBroken = false;
  await goOn(stage, 600);
  expect(back).toBeGreaterThanOrEqual(100);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});
