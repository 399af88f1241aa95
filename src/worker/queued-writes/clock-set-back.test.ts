import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { onDisk } from '../storage/on-disk.fixture.ts';
import { decide } from './named-writes.fixture.ts';
import { OutboxStage, goOn } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

test.each([60_000, 1_800_000, 86_400_000])(
  'a clock that is set back by %s ms puts off no attempt for longer than a pause',
  async (back) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 503);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    stage.world.clock.set(-back);
    stage.restart();
    stage.answer = () => null;
    await stage.open().greet();
    await goOn(stage, 25);
    expect(stage.performed).toEqual(['Dusk']);
  },
);

test('a clock that is set back makes no attempt earlier than the server wants it', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  stage.world.clock.set(-60_000);
  await goOn(stage, 590);
  const before = stage.world.requests.length;
  await goOn(stage, 80);
  expect([before, stage.world.requests.length]).toEqual([1, 2]);
});

test('what a write has sent is forgotten, and told to nobody anew, though it ended while the clock was ahead', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const ahead = 366 * 86_400_000;
  stage.world.clock.set(ahead);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  stage.world.clock.set(-ahead);
  stage.restart();
  await stage.open().greet();
  await goOn(stage, 10);
  expect(await onDisk(stage)).not.toContain('Dusk');
  const back = stage.open();
  await back.greet();
  // It is back, as its number says.
  await back.greet();
  await goOn(stage, 1);
  expect(back.told).toEqual([]);
});

test('a clock that is set back by a day while a lost copy does not open makes nobody wait for hours', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk']);
  await goOn(stage, 5);
  spare.isBroken = true;
  stage.loseDatabases();
  stage.answer = () => null;
  const tab = stage.open();
  await tab.queue(2, 'Dawn');
  await goOn(stage, 2);
  stage.world.clock.set(-86_400_000);
  await goOn(stage, 300);
  const listed = await Promise.race([tab.list(), goOn(stage, 60)]);
  expect([stage.performed, listed]).toEqual([['Dawn'], []]);
});

test('a discarded write is not sent as a frozen tab hands it in again, though the clock was ahead meanwhile', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  await decide(tab, 'entry-1', { kind: 'discard' });
  stage.answer = () => null;
  // Of what ended five minutes ago no more is known than that.
  await goOn(stage, 700);
  const ahead = 60 * 86_400_000;
  stage.world.clock.set(ahead);
  stage.restart();
  stage.open().meet();
  await goOn(stage, 10);
  stage.world.clock.set(-ahead);
  stage.restart();
  await stage.open().queue(1, 'Dusk');
  await goOn(stage, 700);
  expect(stage.performed).toEqual([]);
});
