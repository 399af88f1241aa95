import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';
import { UnreadableDisk } from './unreadable-disk.fixture.ts';

test.each(['DataError', 'UnknownError'])(
  'writes of other lanes are sent, though what one is to send cannot be read: %s',
  async (says) => {
    const disk = Object.assign(new UnreadableDisk(), { says });
    const stage = new OutboxStage(disk);
    [stage.world.online, stage.answer] = [false, unreachable];
    const tab = stage.open();
    for (let n = 1; n <= 4; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
    stage.restart();
    [disk.unreadable, stage.answer] = [2, () => null];
    const other = stage.open();
    other.meet();
    await goOn(stage, 5);
    expect(stage.performed.toSorted()).toEqual(['1', '3', '4']);
    expect(await other.list()).toMatchObject([{ entry: 'entry-2', state: 'review', body: null }]);
  },
);

test('a write is sent as it was called, though what it is to send can be read in its copy alone', async () => {
  const disk = new UnreadableDisk();
  const stage = new OutboxStage(disk, new Spare());
  [stage.world.online, stage.answer] = [false, unreachable];
  const tab = stage.open();
  for (let n = 1; n <= 3; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  const [, second] = await tab.list();
  stage.restart();
  [disk.unreadable, stage.answer] = [second?.place ?? 0, () => null];
  const other = stage.open();
  other.meet();
  await goOn(stage, 5);
  expect([stage.performed.toSorted(), await other.list()]).toEqual([['1', '2', '3'], []]);
});

test('what waits is listed, though what one is to send cannot be read', async () => {
  const disk = new UnreadableDisk();
  const stage = new OutboxStage(disk);
  stage.answer = () => json({}, {}, 401);
  const tab = stage.open();
  for (let n = 1; n <= 3; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  disk.unreadable = 2;
  expect((await tab.list()).map(({ body }) => body)).toMatchObject([{ text: '1' }, null, { text: '3' }]);
});

test('where nothing that is to be sent can be read, all of it waits', async () => {
  const disk = new HangingFactory();
  const stage = new OutboxStage(disk);
  disk.refuses = (stores, mode) => mode === 'readonly' && stores.includes('payloads');
  const tab = stage.open();
  for (let n = 1; n <= 2; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  await goOn(stage, 20);
  expect(tab.told).toEqual([]);
  await expect(tab.list()).rejects.toThrow('late');
  disk.refuses = () => false;
  await goOn(stage, 10);
  expect(stage.performed.toSorted()).toEqual(['1', '2']);
});
