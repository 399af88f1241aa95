import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { OutboxStage, rounds, goOn } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

test('a call that is told as failed is not sent later, though a slow disk has stored it all the same', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.queue(1, 'first');
  await tab.heard('entry-1 done');
  await rounds();
  disk.isLate = true;
  stage.answer = unreachable;
  const queued = tab.queue(2, 'Dusk');
  await goOn(stage, 10);
  await queued;
  expect(tab.deliveries).toContainEqual(
    expect.objectContaining({ kind: 'settled', id: 2, outcome: expect.objectContaining({ kind: 'failed' }) }),
  );
  disk.isLate = false;
  await goOn(stage, 60);
  // The user has heard that it has failed, and does it again.
  stage.answer = () => null;
  await tab.queue(3, 'Dusk');
  await tab.heard('entry-3 done');
  stage.restart();
  await stage.open().greet();
  await rounds();
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['first', 'Dusk']);
});

test('a call that is told as failed is not sent later, though its user signs out before it is withdrawn, and comes back', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.sign('ada');
  await tab.queue(1, 'first');
  await tab.heard('entry-1 done');
  await rounds();
  disk.isLate = true;
  stage.answer = unreachable;
  const queued = tab.queue(2, 'Dusk');
  await stage.world.clock.advance(1_500);
  disk.isBroken = true;
  await goOn(stage, 10);
  await queued;
  expect(tab.deliveries).toContainEqual(
    expect.objectContaining({ kind: 'settled', id: 2, outcome: expect.objectContaining({ kind: 'failed' }) }),
  );
  await Promise.all([tab.sign(null), goOn(stage, 10)]);
  [disk.isLate, disk.isBroken] = [false, false];
  stage.answer = () => null;
  await tab.sign('ada');
  await goOn(stage, 60);
  expect([stage.performed, await tab.list()]).toEqual([['first'], []]);
});

test('a call that failed is told so, though the disk never says again what it has stored', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.queue(1, 'first');
  await tab.heard('entry-1 done');
  await rounds();
  disk.isLate = true;
  stage.answer = unreachable;
  void tab.queue(2, 'Dusk');
  await stage.world.clock.advance(1_500);
  disk.isBroken = true;
  await goOn(stage, 20);
  expect(tab.settled).toContain(2);
});

test('a discard that a slow disk has made, though it was told as failed, is told once that is known', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk', {}, { isShown: true });
  await stage.failed(tab, 1);
  disk.isLate = true;
  const discarding = tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } });
  const said = discarding.then(
    () => 'made',
    () => 'failed',
  );
  await goOn(stage, 5);
  disk.isLate = false;
  await goOn(stage, 60);
  expect([await said, tab.waiting, tab.told.at(-1)]).toEqual(['failed', 0, 'entry-1 discarded']);
});
