import { expect, test } from 'vitest';
import { isLeftOut, leftOut } from '../../shared/outbox.ts';
import type { AnswerBody } from '../../shared/outcome.ts';
import { lean } from '../outbox/write.ts';
import { write } from '../outbox/write.fixture.ts';
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

test('a short answer is kept, whatever white space it has', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () =>
    new Response('null\n', { status: 409, headers: { 'Content-Type': 'application/json' } });
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  stage.restart();
  const next = stage.open();
  await next.greet();
  await rounds();
  const told = next.writes[0]?.answer;
  expect([told?.status, told && isLeftOut(told)]).toEqual([409, false]);
});

test.each<[string, AnswerBody, boolean]>([
  ['text of which no size is known, and which is long', { kind: 'value', value: 'x'.repeat(70_000) }, true],
  ['text of which no size is known, and which is short', { kind: 'value', value: 'x' }, false],
  ['long bytes', { kind: 'bytes', bytes: new ArrayBuffer(70_000), type: '' }, true],
  ['what was left out before', leftOut(70_000), true],
])('of an answer it is known whether its body is on the disk: %s', (_what, body, isOut) => {
  const { answer } = lean(write(1, { state: 'review', answer: { status: 200, headers: [], body } }));
  expect(answer && isLeftOut(answer)).toBe(isOut);
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
