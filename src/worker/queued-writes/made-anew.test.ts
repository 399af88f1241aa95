import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** The user clears the site's data, or the browser does, while the app is open. */
async function clearSite({ indexedDB }: OutboxStage): Promise<void> {
  for (const { name } of (await indexedDB?.databases()) ?? [])
    await new Promise((resolve) => {
      indexedDB?.deleteDatabase(String(name)).addEventListener('success', resolve);
    });
}

async function goOn({ world }: OutboxStage, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await world.clock.advance(1_000);
}

async function stateOf(tab: OutboxTab): Promise<string[]> {
  return (await tab.list()).map(({ entry, state }) => `${entry} ${state}`);
}

test('what is queued after an outbox was deleted in which all was done, is listed, sent and told', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  await rounds(3);
  await clearSite(stage);
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
  await clearSite(stage);
  stage.answer = () => null;
  await tab.queue(2, 'Dawn');
  await goOn(stage, 20);
  expect([stage.performed, tab.told.at(-1)]).toEqual([['Dawn'], 'entry-2 done']);
});
