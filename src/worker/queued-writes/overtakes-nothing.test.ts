import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { LateDisk, startLate, WISH } from './late-disk.fixture.ts';
import { OutboxStage, OutboxTab, goOn } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

/** Why the call of that id has failed; undefined where it has not. */
function failureOf(tab: OutboxTab, id: number): unknown {
  const end = tab.deliveries.find((each) => each.kind === 'settled' && each.id === id);
  return end?.kind === 'settled' && end.outcome.kind === 'failed' ? end.outcome.failure.code : undefined;
}

test('a call that cannot be stored does not overtake what waits in its lane from an earlier life, which is not read yet', async () => {
  const disk = new LateDisk('outbox:');
  const stage = await startLate(disk);
  const next = stage.open();
  await next.greet();
  const queued = next.queue(2, 'second', WISH);
  await goOn(stage, 10);
  await queued;
  disk.isLate = false;
  await goOn(stage, 20);
  expect([stage.performed, failureOf(next, 2)]).toEqual([['first'], 'storage']);
});

test('a call that cannot be stored does not overtake what waits in its lane for the engine of another tab', async () => {
  const server = new OutboxStage(null);
  const disk = new TroubledDisk();
  const shared = { locks: new PlayedLocks(), indexedDB: disk, uuid: () => crypto.randomUUID() };
  const [one, other] = [1, 2].map((nth) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = (async (seen) => (await server.answer(seen)) ?? server.perform(seen)) satisfies Serve;
    const house = houseOf(world, { host: 'page' });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), `client ${nth}`) };
  });
  if (!one || !other) throw new Error('There are two');
  server.answer = ({ init }) => (init.body === 'first' ? json({}, {}, 503) : null);
  await one.tab.queue(1, 'first', WISH);
  await server.failed(one.tab, 1);
  disk.isFull = true;
  await other.tab.queue(2, 'second', WISH);
  await other.tab.queue(3, 'elsewhere', WISH, { lane: 'b' });
  disk.isFull = false;
  expect([server.performed, failureOf(other.tab, 2)]).toEqual([['elsewhere'], 'storage']);
});
