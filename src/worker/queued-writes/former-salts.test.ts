import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { resultOf, Spare, waitingFor } from './spare.fixture.ts';

/** One write of a user waits as all databases are lost. The other place says nothing then, so that the user gets another salt. */
async function lost(spare: Spare, isLate = true): Promise<{ stage: OutboxStage; tab: OutboxTab }> {
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk'], 'ada');
  await goOn(stage, 2);
  stage.loseDatabases();
  spare.isBroken = isLate;
  stage.answer = unreachable;
  const tab = stage.open();
  await tab.sign('ada');
  await goOn(stage, 5);
  return { stage, tab };
}

async function copies(spare: Spare): Promise<string[]> {
  const names = (await spare.factory.databases()).map(({ name }) => String(name));
  return names.filter((name) => name.includes('outbox:'));
}

test.each([false, true])(
  'what a user queues after a loss outlives the next loss; salt late after the first: %s',
  async (isLate) => {
    const spare = new Spare();
    const { stage, tab } = await lost(spare, isLate);
    // The other place answers from now on.
    spare.isBroken = false;
    await goOn(stage, 120);
    await tab.queue(2, 'Dawn');
    expect(tab.queued).toContain(2);
    await goOn(stage, 120);
    expect(await spare.text()).toContain('Dawn');
    stage.loseDatabases();
    stage.answer = () => null;
    await stage.open().sign('ada');
    await goOn(stage, 120);
    expect(stage.performed).toEqual(['Dusk', 'Dawn']);
  },
);

test('what waited under the salt of before comes back in the same life, before what was queued since', async () => {
  const spare = new Spare();
  const { stage, tab } = await lost(spare);
  await tab.queue(2, 'Dawn');
  spare.isBroken = false;
  await goOn(stage, 120);
  expect((await tab.list()).map(({ entry }) => entry)).toEqual(['entry-1', 'entry-2']);
  // It is in one copy then.
  expect((await spare.text()).split('Dusk')).toHaveLength(2);
  stage.answer = () => null;
  await goOn(stage, 120);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('what waits for another user under the salt of before is there when that one signs in', async () => {
  const spare = new Spare();
  const { stage, tab } = await lost(spare);
  spare.isBroken = false;
  await Promise.all([tab.sign('grace'), goOn(stage, 60)]);
  await tab.queue(2, 'Dawn');
  await goOn(stage, 5);
  expect(await copies(spare)).toHaveLength(2);
  await Promise.all([tab.sign('ada'), goOn(stage, 60)]);
  expect((await tab.list()).map(({ entry }) => entry)).toEqual(['entry-1']);
});

test('a worker that dies as it has taken a salt back goes on when its page has said who is signed in', async () => {
  const spare = new Spare();
  const { stage, tab } = await lost(spare);
  const epoch = tab.epoch ?? 0;
  stage.restart();
  spare.isBroken = false;
  const next = stage.open();
  next.wish = { identity: { name: 'ada', epoch } };
  next.epoch = epoch;
  await next.greet();
  await goOn(stage, 60);
  expect((await next.list()).map(({ entry }) => entry)).toEqual(['entry-1']);
});

test('a single salt that an earlier release has kept leads to what waits', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk'], 'ada');
  await goOn(stage, 2);
  const root = await resultOf(spare.factory.open('offstage:/'));
  const meta = root.transaction('meta', 'readwrite').objectStore('meta');
  const [salt] = [await resultOf(meta.get('salt'))].flat();
  await resultOf(meta.put(salt, 'salt'));
  root.close();
  // Nothing of the first browser goes on beside this one, whose second life makes other names.
  const next = new OutboxStage(null, spare);
  next.loseDatabases();
  await next.open().sign('ada');
  await goOn(next, 60);
  expect([typeof salt, next.performed]).toEqual(['string', ['Dusk']]);
});
