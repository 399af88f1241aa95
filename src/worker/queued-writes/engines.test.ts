import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

const edit = (key: string, text: string) =>
  ({ kind: 'edit', key, params: null, body: { kind: 'text', text }, contentType: null }) as const;

/** Two engines of one scope over one storage: `first` acts, `second` waits for the lock. */
function engines(first: 'service-worker' | 'page') {
  const server = new OutboxStage(null);
  const shared = { locks: new PlayedLocks(), indexedDB: new IDBFactory(), uuid: () => crypto.randomUUID() };
  const [one, other] = ([first, 'page'] as const).map((host, index) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
    const house = houseOf(world, { host });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), `client ${index}`) };
  });
  if (!one || !other) throw new Error('There are two');
  return { server, one, other };
}

test('a write that was queued by a page that runs an engine is sent by the service worker which acts, and listed', async () => {
  const { server, one, other } = engines('service-worker');
  await one.tab.queue(1, 'of one');
  await one.tab.heard('entry-1 done');
  await other.tab.queue(2, 'of other');
  expect(other.tab.queued).toEqual([2]);
  // The page moves to the service worker, as it does as soon as that answers.
  await one.world.clock.advance(600_000);
  await rounds();
  expect([server.performed, (await one.tab.list()).length]).toEqual([['of one', 'of other'], 0]);
});

test('what one tab has discarded is not sent by another tab, which acts', async () => {
  const { server, one, other } = engines('page');
  server.answer = () => json({}, {}, 503);
  await one.tab.queue(1, 'Dusk');
  await server.failed(one.tab, 1);
  await other.tab.greet();
  expect((await other.tab.list()).map(({ entry }) => entry)).toEqual(['entry-1']);
  const reply = await other.tab.remote.control({
    kind: 'decide',
    entry: 'entry-1',
    decision: { kind: 'discard' },
  });
  expect(reply).toEqual({ kind: 'decided', as: 'decided' });
  const before = one.world.requests.length;
  server.answer = () => null;
  await one.world.clock.advance(60_000);
  await rounds();
  expect([one.world.requests.length - before, one.tab.told, (await one.tab.list()).length]).toEqual([
    0,
    ['entry-1 discarded'],
    0,
  ]);
});

test('what one tab has edited is sent so by another tab, which acts, under the new key', async () => {
  const { server, one, other } = engines('page');
  server.answer = ({ init }) => (init.body === 'head' ? json({}, {}, 503) : null);
  await one.tab.queue(1, 'head');
  await one.tab.queue(2, 'draft');
  await server.failed(one.tab, 1);
  await other.tab.greet();
  const reply = await other.tab.remote.control({
    kind: 'decide',
    entry: 'entry-2',
    decision: { ...edit('key-9', 'final'), params: [['album', '9']] },
  });
  expect(reply).toEqual({ kind: 'decided', as: 'decided' });
  server.answer = () => null;
  await one.world.clock.advance(60_000);
  await until(() => server.performed.length === 2);
  const last = one.world.requests.at(-1);
  expect([last?.init.body, last?.headers.get('Idempotency-Key')]).toEqual(['final', '"key-9"']);
});

test('what one tab decides about a refused write of another tab is carried out', async () => {
  const { server, one, other } = engines('page');
  server.answer = ({ init }) => (init.body === 'bad' ? json({}, {}, 422) : null);
  await one.tab.queue(1, 'bad');
  await one.tab.heard('entry-1 review');
  await other.tab.greet();
  const reply = await other.tab.remote.control({
    kind: 'decide',
    entry: 'entry-1',
    decision: edit('key-9', 'good'),
  });
  expect(reply).toEqual({ kind: 'decided', as: 'decided' });
  await one.world.clock.advance(600_000);
  await rounds();
  expect(server.performed).toEqual(['good']);
});

test('each end is told in every tab, though each runs its own engine', async () => {
  const { one, other } = engines('page');
  await other.tab.greet();
  await one.tab.queue(1, 'Dusk');
  await one.tab.heard('entry-1 done');
  await one.world.clock.advance(60_000);
  await other.world.clock.advance(60_000);
  await rounds();
  expect(other.tab.told).toEqual(['entry-1 done']);
});

test('a page that moves from its own engine to a service worker at any turn: all that it has queued is sent', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 1) {
    const server = new OutboxStage(null);
    const shared = { locks: new PlayedLocks(), indexedDB: new IDBFactory(), uuid: () => crypto.randomUUID() };
    const make = (host: 'service-worker' | 'page') => {
      const world = Object.assign(new FakeSystem(), shared);
      world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
      return { world, house: houseOf(world, { host }) };
    };
    const [own, worker] = [make('page'), make('service-worker')];
    const tab = new OutboxTab((...message) => own.house.receive(...message), 'client 1');
    const same = new OutboxTab((...message) => worker.house.receive(...message), 'client 1');
    await tab.greet();
    // Another tab has used the worker before.
    const other = new OutboxTab((...message) => worker.house.receive(...message), 'client 2');
    if (k % 2 === 0) {
      await other.queue(8, 'first');
      await other.heard('entry-8 done');
    }
    const queued = tab.queue(1, 'Dusk');
    for (let turn = 0; turn < k; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // The page greets the worker; its call stays with the engine that has it.
    void same.greet();
    await queued;
    await rounds(8);
    for (const { world } of [own, worker]) await world.clock.advance(600_000);
    await rounds(3);
    if (!server.performed.includes('Dusk')) wrong.push(k);
  }
  expect(wrong).toEqual([]);
});

test.each(['page', 'service-worker'] as const)(
  'a service worker that takes over from a %s at any turn: each write has one effect, in order',
  async (first) => {
    const wrong: unknown[] = [];
    for (let k = 0; k < 80; k += 1) {
      const server = new OutboxStage(null);
      const shared = {
        locks: new PlayedLocks(),
        indexedDB: new IDBFactory(),
        uuid: () => crypto.randomUUID(),
      };
      const make = (host: 'service-worker' | 'page', id: string) => {
        const world = Object.assign(new FakeSystem(), shared);
        world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
        const house = houseOf(world, { host });
        return { world, tab: new OutboxTab((...message) => house.receive(...message), id) };
      };
      const one = make(first, 'client 1');
      void one.tab.queue(1, 'w1').catch(() => {});
      void one.tab.queue(2, 'w2').catch(() => {});
      void one.tab.queue(3, 'w3').catch(() => {});
      for (let turn = 0; turn < k; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const other = make('service-worker', 'client 2');
      await other.tab.greet();
      await other.tab.queue(4, 'w4');
      await rounds(8);
      for (const { world } of [one, other]) await world.clock.advance(60_000);
      await rounds(3);
      const own = server.performed.filter((each) => each !== 'w4');
      const told = new Set([...one.tab.told, ...other.tab.told]);
      const missing = one.tab.queued.filter((id) => !own.includes(`w${id}`));
      if (own.join() !== ['w1', 'w2', 'w3'].slice(0, own.length).join())
        wrong.push([k, 'order', server.performed]);
      if (missing.length > 0) wrong.push([k, 'stuck', missing]);
      if (missing.length === 0 && told.size !== 4) wrong.push([k, 'untold', [...told]]);
    }
    expect(wrong).toEqual([]);
  },
);

test('two tabs without Web Locks, as over plain http, end what waits, and ask no more often than that takes', async () => {
  const clock = new VirtualClock();
  const server = new OutboxStage(null);
  const shared = { clock, indexedDB: new IDBFactory(), uuid: () => crypto.randomUUID() };
  let requests = 0;
  const tabs = [0, 1].map((index) => {
    const world = Object.assign(new FakeSystem(), shared);
    Object.assign(world, { locks: null });
    world.serve = async (seen) => {
      requests += 1;
      const response = server.perform(seen);
      await clock.sleep(1_000);
      return response;
    };
    const house = houseOf(world, { host: 'page', isPresent: null });
    return new OutboxTab((...message) => house.receive(...message), `client ${index}`);
  });
  const [one, other] = tabs;
  if (!one || !other) throw new Error('There are two');
  await one.queue(1, 'Dusk');
  await rounds(5);
  await clock.advance(500);
  await other.greet();
  await rounds(5);
  for (let n = 0; n < 240; n += 1) {
    await clock.advance(250);
    await rounds(5);
  }
  const told = [...one.told, ...other.told].filter((each) => each === 'entry-1 done').length;
  expect([requests < 10, told > 0, server.performed]).toEqual([true, true, ['Dusk']]);
});
