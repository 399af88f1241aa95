import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { CREATES, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

// A call that does not fit on the disk, in a lane that it names by a temporary id. No write that waits names that.

const LANE = `photo ${TEMPORARY}`;
const SAME = { method: 'PUT', template: '/photo/7' };

test('it does not overtake what waits in the same lane under the id', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  let isBusy = true;
  stage.answer = (seen) => {
    if (bodyOf(seen) === 'created') return made(7);
    return bodyOf(seen) === 'older' && isBusy ? json({}, {}, 503) : null;
  };
  await tab.queue(1, 'created', {}, CREATES);
  await tab.heard('entry-1 done');
  await tab.queue(2, 'older', SAME, { lane: 'photo 7' });
  await stage.failed(tab, 1);
  disk.isFull = true;
  await tab.queue(3, 'newer', USER, { lane: LANE });
  [disk.isFull, isBusy] = [false, false];
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['older']);
});

test('what is queued in the same lane under the id waits for its end', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  const answered = new Deferred();
  stage.answer = async (seen) => {
    if (bodyOf(seen) === 'created') return made(7);
    if (bodyOf(seen) === 'first') await answered.promise;
    return stage.perform(seen);
  };
  await tab.queue(1, 'created', {}, CREATES);
  await tab.heard('entry-1 done');
  disk.isFull = true;
  void tab.queue(2, 'first', USER, { lane: LANE });
  await until(() => stage.world.requests.some((seen) => bodyOf(seen) === 'first'));
  disk.isFull = false;
  await tab.queue(3, 'second', SAME, { lane: 'photo 7' });
  await rounds();
  answered.resolve();
  await tab.heard('entry-3 done');
  expect(stage.performed).toEqual(['first', 'second']);
});
