import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage, rounds, goOn, deleteAll } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

async function stateOf(tab: OutboxTab): Promise<string[]> {
  return (await tab.list()).map(({ entry, state }) => `${entry} ${state}`);
}

test('what is queued after an outbox was deleted in which all was done, is listed, sent and told', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  await rounds(3);
  await deleteAll(stage.indexedDB);
  stage.answer = () => json({}, {}, 422);
  await tab.queue(2, 'Dawn');
  await goOn(stage, 20);
  expect([tab.queued, await stateOf(tab)]).toEqual([[1, 2], ['entry-2 review']]);
  stage.answer = () => null;
  await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision: { kind: 'retry' } });
  await goOn(stage, 20);
  expect([stage.performed, tab.told.at(-1)]).toEqual([['Dusk', 'Dawn'], 'entry-2 done']);
});

test('what is queued after an outbox was deleted in which a write waited, is sent', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  await deleteAll(stage.indexedDB);
  stage.answer = () => null;
  await tab.queue(2, 'Dawn');
  await goOn(stage, 20);
  expect([stage.performed, tab.told.at(-1)]).toEqual([['Dawn'], 'entry-2 done']);
});
