import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

test.each([false, true])(
  'what is queued at an engine whose term is ending is sent by the one that acts by then (slow: %s)',
  async (isSlow) => {
    const server = new OutboxStage(null);
    const indexedDB = new HangingFactory();
    const shared = { locks: new PlayedLocks(), indexedDB, uuid: () => crypto.randomUUID() };
    const make = (host: 'service-worker' | 'page', id: string) => {
      const world = Object.assign(new FakeSystem(), shared);
      world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
      const house = houseOf(world, { host });
      return { world, tab: new OutboxTab((...message) => house.receive(...message), id) };
    };
    const one = make('page', 'client 1');
    let asked = 0;
    server.answer = () => ((asked += 1) === 1 ? new Promise(() => {}) : null);
    await one.tab.queue(1, 'head');
    await rounds();
    expect(asked).toBe(1);
    let hung = 0;
    indexedDB.hangs = (_, stores, mode) => {
      const isEnd = isSlow && mode === 'readwrite' && stores.join() === 'ended,meta,outbox' && hung === 0;
      if (isEnd) hung += 1;
      return isEnd;
    };
    const other = make('service-worker', 'client 2');
    await other.tab.greet();
    await rounds();
    expect(hung).toBe(isSlow ? 1 : 0);
    await other.tab.heard('entry-1 done');
    await one.tab.queue(2, 'Dusk', {}, { lane: 'b' });
    expect(one.tab.queued).toEqual([1, 2]);
    for (let n = 0; n < 600; n += 1) {
      await one.world.clock.advance(1_000);
      await other.world.clock.advance(1_000);
    }
    expect(server.performed).toEqual(['head', 'Dusk']);
  },
);

test('what is decided at a worker that is being replaced is carried out by the one that acts by then', async () => {
  const server = new OutboxStage(null);
  const shared = {
    locks: new PlayedLocks(),
    indexedDB: new HangingFactory(),
    uuid: () => crypto.randomUUID(),
  };
  const make = () => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
    return { world, house: houseOf(world) };
  };
  const old = make();
  const [busy, first] = ['client 1', 'client 2'].map(
    (id) => new OutboxTab((...message) => old.house.receive(...message), id),
  );
  if (!busy || !first) throw new Error('There are two');
  server.answer = () => new Response('{}', { status: 422, headers: { 'Content-Type': 'application/json' } });
  await busy.queue(1, 'Dusk');
  await busy.heard('entry-1 review');
  await first.greet();
  // One page has a newer worker take over, while a long task of the other keeps it from hearing so.
  const drained = first.remote.control({ kind: 'drain' });
  await old.world.clock.advance(2_000);
  await drained;
  const next = make();
  const later = new OutboxTab((...message) => next.house.receive(...message), 'client 2');
  await later.greet();
  await rounds();
  expect((await later.list()).map(({ state }) => state)).toEqual(['review']);
  server.answer = () => null;
  let said = 'unanswered';
  void busy.remote
    .control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } })
    .then(({ kind }) => (said = kind));
  await rounds();
  for (let n = 0; n < 120; n += 1) await next.world.clock.advance(1_000);
  // Either it is told that nobody has heard it, and asks the next worker, or it is carried out.
  expect([said, server.performed]).toEqual(said === 'decided' ? ['decided', ['Dusk']] : ['unanswered', []]);
});
