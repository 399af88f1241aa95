import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';

/** A worker that starts after ada was signed in, who has queued nothing; a write of bob's waits. There was never but one salt. */
async function started(): Promise<{ spare: Spare; stage: OutboxStage }> {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = stage.open();
  await tab.sign('bob');
  stage.answer = () => json({}, { 'Retry-After': '9999' }, 503);
  await tab.queue(1, 'Dusk');
  await goOn(stage, 2);
  await Promise.all([tab.sign('ada'), goOn(stage, 20)]);
  stage.restart();
  return { spare, stage };
}

test('with one salt, the sign-in of another user does not wait for the name of the one before', async () => {
  const { stage } = await started();
  const tab = stage.open();
  let isSigned = false;
  void tab.sign('grace').then(() => (isSigned = true));
  await rounds();
  expect(isSigned).toBe(true);
});

test('with one salt, the first write of a user who comes after another one is in the copy as it is acknowledged', async () => {
  const { spare, stage } = await started();
  const tab = stage.open();
  await Promise.all([tab.sign('grace'), stage.world.clock.advance(500)]);
  await tab.queue(2, 'Dawn');
  expect(await spare.text()).toContain('Dawn');
});

test('with one salt, whether anything waits of a user whose name is not known yet is known at once', async () => {
  const { stage } = await started();
  const databases = async (): Promise<number> =>
    ((await stage.indexedDB?.databases()) ?? []).filter(({ name }) => name?.includes('outbox')).length;
  const before = await databases();
  // The page says 1.5 seconds later who is signed in.
  const tab = stage.open();
  await tab.greet();
  await goOn(stage, 2);
  await Promise.all([tab.sign('ada'), goOn(stage, 5)]);
  expect([before, await databases()]).toEqual([1, 1]);
});
