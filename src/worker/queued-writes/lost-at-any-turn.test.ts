import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json } from '../platform/system.fixture.ts';
import { turns } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';

test('a worker that dies at any turn of taking back: one effect each, in order', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 12) {
    const stage = new OutboxStage(new IDBFactory(), new Spare());
    const tab = stage.open();
    stage.answer = () => json({}, { 'Retry-After': '2' }, 503);
    for (let id = 1; id <= 3; id += 1) await tab.queue(id, `w${id}`);
    stage.loseDatabases();
    stage.answer = () => null;
    stage.open().meet();
    await turns(k);
    if (k % 24 === 0) stage.loseDatabases();
    else stage.restart();
    const next = stage.open();
    await next.queue(4, 'w4');
    await goOn(stage, 20);
    if (stage.performed.join() !== 'w1,w2,w3,w4') wrong.push([k, stage.performed]);
  }
  expect(wrong).toEqual([]);
});

test('two engines take back at any distance: one effect each, in order', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 12) {
    const spare = new Spare();
    const first = new OutboxStage(new IDBFactory(), spare);
    const tab = first.open();
    first.answer = () => json({}, { 'Retry-After': '2' }, 503);
    for (let id = 1; id <= 3; id += 1) await tab.queue(id, `w${id}`);
    first.restart();
    const server = new OutboxStage(null);
    const shared = {
      locks: new PlayedLocks(),
      indexedDB: new IDBFactory(),
      spare,
      uuid: () => crypto.randomUUID(),
    };
    const make = (host: 'service-worker' | 'page', id: string) => {
      const world = Object.assign(new FakeSystem(), shared);
      world.clock.set(1_000);
      world.serve = async (seen) => server.perform(seen);
      const house = houseOf(world, { host });
      return { world, tab: new OutboxTab((...message) => house.receive(...message), id) };
    };
    const one = make('page', 'client 1');
    void one.tab.greet();
    await turns(k);
    const other = make('service-worker', 'client 2');
    await other.tab.greet();
    await other.tab.queue(4, 'w4');
    await one.tab.queue(5, 'w5');
    await rounds(4);
    for (const { world } of [one, other]) await world.clock.advance(600_000);
    await rounds(3);
    if (server.performed.join() !== 'w1,w2,w3,w4,w5') wrong.push([k, server.performed]);
  }
  expect(wrong).toEqual([]);
});
