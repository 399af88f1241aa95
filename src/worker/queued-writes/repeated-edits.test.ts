import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { EDIT, OutboxStage, rounds } from './outbox-stage.fixture.ts';

test('an edit whose reply was lost, and that the page says again to the next worker, counts as decided', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ title: 'theirs' }, { ETag: '"five"' }, 412);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 conflict');
  const seen = tab.writes.at(-1)?.version ?? -1;
  stage.answer = () => new Promise(() => {});
  const decision = { ...EDIT, body: { kind: 'text', text: 'merged' }, version: seen } as const;
  const first = await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision });
  stage.restart();
  const next = stage.open();
  await next.greet();
  await rounds();
  const again = await next.remote.control({ kind: 'decide', entry: 'entry-1', decision });
  expect([first, again]).toEqual([
    { kind: 'decided', as: 'decided' },
    { kind: 'decided', as: 'decided' },
  ]);
});

test('the same, while it is not sent yet', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
  await tab.queue(1, 'Dusk');
  await tab.queue(2, 'Dawn');
  await stage.failed(tab, 1);
  const decision = { ...EDIT, body: { kind: 'text', text: 'merged' }, version: 0 } as const;
  const first = await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision });
  stage.restart();
  const next = stage.open();
  await next.greet();
  await rounds();
  const again = await next.remote.control({ kind: 'decide', entry: 'entry-2', decision });
  expect(again).toEqual(first);
});
