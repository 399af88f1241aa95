import { describe, expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, unreachable } from '../platform/system.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

/** Without a network, on a disk that is late and then broken: the call fails, and its write is stored. Returns once that is told. */
async function fails(tab: OutboxTab, world: FakeSystem, disk: TroubledDisk): Promise<void> {
  const queued = tab.queue(2, 'Dusk');
  await world.clock.advance(1_500);
  disk.isBroken = true;
  await goOn({ world }, 25);
  await queued;
  expect(tab.deliveries.find((each) => each.kind === 'settled')).toMatchObject({
    id: 2,
    outcome: { kind: 'failed' },
  });
}

describe('a call that is told as failed is not sent once the disk is well,', () => {
  test('though the queue was still being read as it failed', async () => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    const first = stage.open();
    await first.queue(1, 'first');
    await first.heard('entry-1 done');
    await rounds();
    disk.isLate = true;
    stage.restart();
    stage.answer = unreachable;
    const tab = stage.open();
    await tab.greet();
    await rounds();
    await fails(tab, stage.world, disk);
    [disk.isLate, disk.isBroken] = [false, false];
    stage.answer = () => null;
    await goOn(stage, 60);
    expect(stage.performed).toEqual(['first']);
  });

  test('though another tab queues something before its end is stored', async () => {
    const [server, disk, locks] = [new OutboxStage(null), new TroubledDisk(), new PlayedLocks()];
    const { clock } = server.world;
    const open = (name: string): { world: FakeSystem; tab: OutboxTab } => {
      const shared = { locks, indexedDB: disk, clock, uuid: () => crypto.randomUUID() };
      const world = Object.assign(new FakeSystem(), shared);
      world.serve = async (seen) => (await server.answer(seen)) ?? server.perform(seen);
      const house = houseOf(world, { host: 'page' });
      return { world, tab: new OutboxTab((...message) => house.receive(...message), name) };
    };
    const [one, other] = [open('one'), open('other')];
    await one.tab.queue(1, 'first');
    await one.tab.heard('entry-1 done');
    await other.tab.greet();
    await rounds();
    disk.isLate = true;
    server.answer = unreachable;
    await fails(one.tab, one.world, disk);
    [disk.isLate, disk.isBroken] = [false, false];
    server.answer = () => null;
    void other.tab.queue(3, 'of another', {}, { lane: 'b' });
    for (let step = 0; step < 600; step += 1) await clock.advance(100);
    expect(server.performed).toEqual(['first', 'of another']);
  });
});
