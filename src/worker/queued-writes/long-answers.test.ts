import { expect, test } from 'vitest';
import { isLeftOut } from '../../shared/outbox.ts';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';

const THEIRS = { text: 'x'.repeat(70_000) };

/** A write that is in conflict with something long, and what is told of that. */
async function conflict(): Promise<{ stage: OutboxStage; told: unknown }> {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json(THEIRS, { ETag: '"b"' }, 412);
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  return { stage, told: tab.writes.at(-1)?.answer?.body };
}

test('a conflict is told with the version of its server, however long', async () => {
  expect((await conflict()).told).toMatchObject({ kind: 'value', value: THEIRS });
});

test('in a later life it says that this version is left out, so that nobody undoes it unseen', async () => {
  const { stage } = await conflict();
  stage.restart();
  const next = stage.open();
  await next.greet();
  await rounds();
  const [told] = next.writes;
  expect([told?.state, told?.answer && isLeftOut(told.answer)]).toEqual(['conflict', true]);
});
