import { expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { decide } from './named-writes.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

const DELETION = { method: 'DELETE', template: '/photo/7' };

test('what a server says to a write that was discarded on its way puts off the next one of its lane', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const answered = new Deferred();
  stage.answer = (seen) =>
    bodyOf(seen) === 'one' ? answered.promise.then(() => json({}, { 'Retry-After': '600' }, 429)) : null;
  await tab.queue(1, 'one');
  await tab.queue(2, 'two');
  await until(() => stage.world.requests.length === 1);
  await decide(tab, 'entry-1', { kind: 'discard' });
  answered.resolve();
  await rounds();
  await goOn(stage, 590);
  expect(stage.world.requests.map(bodyOf)).toEqual(['one']);
});

// Each query asks again as it hears of the discard, which is too early.
test.each([
  ['has performed it after all', () => json({}), true],
  ['finds that an attempt before it was performed', () => json({}, {}, 404), true],
  ['is lost', unreachable, true],
  ['is not able to', () => json({}, {}, 503), false],
] as const)(
  'where the server of a discarded write %s, pages hear once more when it has ended',
  async (_case, last, isTold) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const answered = new Deferred();
    // The answer to its first attempt is lost.
    stage.answer = unreachable;
    await tab.queue(1, '', DELETION, { isShown: true });
    await stage.failed(tab, 1);
    stage.answer = () => answered.promise.then(last);
    await goOn(stage, 10);
    expect((await tab.list())[0]).toMatchObject({ state: 'sending', attempts: 2 });
    await decide(tab, 'entry-1', { kind: 'discard' });
    await tab.heard('entry-1 discarded');
    await goOn(stage, 5);
    const told = tab.writes.length;
    answered.resolve();
    const endedAt = stage.world.clock.now();
    await rounds();
    const again = tab.writes.slice(told).map((write) => [write.state, write.endedAt]);
    expect(again).toEqual(isTold ? [['discarded', endedAt]] : []);
  },
);

test('a write behind one that was discarded on its way, and performed, changes the version that this has made', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const put = { method: 'PUT', template: '/photo/7' };
  let etag = '"1"';
  const answered = new Deferred();
  stage.answer = async (seen) => {
    if (seen.init.method === 'GET') return json({}, { ETag: etag, 'Cache-Control': 'no-cache' });
    if (seen.headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
    etag = bodyOf(seen) === 'first' ? '"2"' : '"3"';
    if (bodyOf(seen) === 'first') await answered.promise;
    return json({}, { ETag: etag });
  };
  tab.meet();
  await tab.call(50);
  await tab.queue(1, 'first', put);
  await until(() => stage.world.requests.some((seen) => bodyOf(seen) === 'first'));
  await tab.queue(2, 'second', put);
  await decide(tab, 'entry-1', { kind: 'discard' });
  answered.resolve();
  await until(() => tab.told.some((told) => told.startsWith('entry-2')));
  expect(tab.told.at(-1)).toBe('entry-2 done');
});
