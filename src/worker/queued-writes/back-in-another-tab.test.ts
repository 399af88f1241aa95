import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { goOn, OutboxStage, OutboxTab } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

test('what ends of a user who is back in another tab stays known, though the disk failed as that user signed out', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const { clock } = stage.world;
  const shared = { locks: new PlayedLocks(), indexedDB: disk, clock, uuid: () => crypto.randomUUID() };
  let sent = 0;
  // Each tab runs an engine.
  const [one, other] = ['one', 'other'].map((name) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = async (seen) => {
      sent += 1;
      return stage.perform(seen);
    };
    const house = houseOf(world, { host: 'page' });
    return new OutboxTab((...message) => house.receive(...message), name);
  });
  if (!one || !other) throw new Error('There are two');
  await one.sign('anna');
  await one.queue(1, 'Dusk');
  await goOn(stage, 1);
  disk.isBroken = true;
  await Promise.all([one.sign(null), goOn(stage, 20)]);
  disk.isBroken = false;
  await Promise.all([other.sign('anna'), goOn(stage, 1)]);
  await Promise.all([other.queue(2, 'Dawn'), goOn(stage, 60)]);
  // A page hands its call in again.
  await Promise.all([other.queue(3, 'Dawn', {}, { entry: 'entry-2', key: 'key-2' }), goOn(stage, 5)]);
  expect([sent, stage.performed]).toEqual([2, ['Dusk', 'Dawn']]);
});
