import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';

test('what another tab has taken back is sent by the tab that acts, whose own look at the copy has failed', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  stage.answer = unreachable;
  await stage.open().queue(1, 'Dusk');
  await goOn(stage, 5);
  // Two tabs run an engine each, after all databases are lost but those of the copy.
  const { clock } = stage.world;
  const shared = { locks: new PlayedLocks(), indexedDB: new IDBFactory(), clock };
  const engine = (name: string, place: Spare): OutboxTab => {
    const world = Object.assign(new FakeSystem(), shared, { spare: place, uuid: () => crypto.randomUUID() });
    world.serve = async (seen) => stage.perform(seen);
    const house = houseOf(world, { host: 'page' });
    return new OutboxTab((...message) => house.receive(...message), name);
  };
  const broken = Object.assign(new Spare(spare.factory), { isBroken: true });
  const one = engine('one', broken);
  await Promise.all([one.queue(2, 'Dawn', {}, { lane: 'b' }), goOn(stage, 20)]);
  const other = engine('other', spare);
  await other.greet();
  await other.list();
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['Dawn', 'Dusk']);
});
