import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { decide } from './named-writes.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

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
