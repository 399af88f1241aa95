import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { submission } from '../tab.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

const WISH = { method: 'PUT', template: '/photo/7' };

test('a call that could not be queued changes the version that an own write has made meanwhile', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.submitAll([submission(50, { template: '/photo/7' })]);
  await until(() => tab.settled.includes(50));
  const answered = new Deferred();
  stage.answer = async (seen) => {
    if (bodyOf(seen) !== 'first') return json({}, {}, seen.headers.get('If-Match') === '"b"' ? 200 : 412);
    await answered.promise;
    return json({}, { ETag: '"b"' });
  };
  await tab.queue(1, 'first', WISH);
  await until(() => stage.world.requests.length === 2);
  disk.isLate = true;
  void tab.queue(2, 'second', WISH);
  await rounds();
  answered.resolve();
  await rounds();
  await goOn(stage, 10);
  const second = stage.world.requests.find(({ init }) => init.body === 'second');
  expect(second?.headers.get('If-Match')).toBe('"b"');
});
