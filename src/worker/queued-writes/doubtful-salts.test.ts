import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

test('an engine that learns from a page who is signed in goes by the salt that another one has learned', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk'], 'ada');
  await goOn(stage, 1);
  stage.restart();
  const shared = {
    locks: new PlayedLocks(),
    indexedDB: new IDBFactory(),
    spare,
    uuid: () => crypto.randomUUID(),
  };
  const make = (host: 'service-worker' | 'page', id: string) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.clock.set(60_000);
    world.serve = async () => json({}, { 'Retry-After': '3600' }, 503);
    const house = houseOf(world, { host });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), id) };
  };
  spare.isBroken = true;
  const one = make('page', 'client 1');
  await one.tab.greet();
  await rounds(3);
  const other = make('service-worker', 'client 2');
  await other.tab.greet();
  await rounds(3);
  spare.isBroken = false;
  for (const { world } of [one, other]) await world.clock.advance(60_000);
  await other.tab.sign('ada');
  await goOn(other, 10);
  const before = (await other.tab.list()).map(({ entry }) => entry);
  // The page of the first engine has heard of it.
  one.tab.wish = { identity: { name: 'ada', epoch: other.tab.epoch ?? 0 } };
  await one.tab.greet();
  await goOn(one, 10);
  // The next worker.
  const next = make('service-worker', 'client 3');
  await next.tab.sign('ada');
  await goOn(next, 20);
  expect([before, (await next.tab.list()).map(({ entry }) => entry)]).toEqual([['entry-1'], ['entry-1']]);
});
