import { expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, bodyOf, rounds } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

const WISH = { method: 'PUT', template: '/photo/7' };

test.each([201, 503])(
  'what is queued behind a call that did not fit on the disk is sent once that is answered (%s)',
  async (status) => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    const tab = stage.open();
    await tab.queue(9, 'before', WISH);
    await tab.heard('entry-9 done');
    const answered = new Deferred();
    stage.answer = async (seen) => {
      if (bodyOf(seen) !== 'large') return stage.perform(seen);
      await answered.promise;
      return status === 201 ? stage.perform(seen) : json({}, {}, status);
    };
    disk.isFull = true;
    void tab.queue(1, 'large', WISH);
    await rounds(5);
    disk.isFull = false;
    await tab.queue(2, 'small', WISH);
    await tab.queue(3, 'elsewhere', WISH, { lane: 'b' });
    await tab.heard('entry-3 done');
    expect(stage.performed).toEqual(['before', 'elsewhere']);
    answered.resolve();
    await tab.heard('entry-2 done');
    expect(stage.performed).toEqual(['before', 'elsewhere', ...(status === 201 ? ['large'] : []), 'small']);
  },
);

test('a call that could not be stored at all holds up nothing of its lane', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = unreachable;
  await tab.queue(1, 'first', WISH);
  await stage.failed(tab, 1);
  // An attempt of another lane takes long.
  stage.answer = (seen) => (bodyOf(seen) === 'slow' ? new Promise<Response>(() => {}) : null);
  await tab.queue(8, 'slow', WISH, { lane: 'b' });
  disk.isFull = true;
  await tab.queue(2, 'second', WISH);
  disk.isFull = false;
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await rounds();
  expect(stage.performed).toEqual(['first']);
});

test('a call that did not fit on the disk says which version it changes', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.submitAll([submission(50, { template: '/photo/7' })]);
  await until(() => tab.settled.includes(50));
  stage.answer = ({ headers }) => (headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null);
  disk.isFull = true;
  await tab.queue(1, 'mine', WISH);
  await until(() => tab.settled.includes(1));
  expect([stage.world.requests.at(-1)?.headers.get('Idempotency-Key'), stage.performed]).toEqual([
    '"key-1"',
    [],
  ]);
});
