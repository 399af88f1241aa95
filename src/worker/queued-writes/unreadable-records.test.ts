import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { CREATES, USER } from './named-writes.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { resultOf, sentBy, Spare, waitingFor } from './spare.fixture.ts';
import { UnreadableDisk } from './unreadable-disk.fixture.ts';

// A description with the long answer that has refused its write is a large value, too.

/** The keys of what such a store of the outbox has. */
async function keysIn(store: string, disk: IDBFactory): Promise<IDBValidKey[]> {
  const name = (await disk.databases()).find((each) => each.name?.includes('outbox'))?.name ?? '';
  const database = await resultOf(disk.open(name));
  const keys = await resultOf(database.transaction(store).objectStore(store).getAllKeys());
  database.close();
  return keys;
}

/** Three writes of three lanes wait on a disk that loses the record of the second one. */
async function waitingOn(disk: UnreadableDisk, spare?: Spare): Promise<OutboxStage> {
  const stage = new OutboxStage(disk, spare);
  stage.answer = unreachable;
  const tab = stage.open();
  for (let n = 1; n <= 3; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  await goOn(stage, 5);
  stage.restart();
  disk.unreadable = (await keysIn('outbox', disk))[1] ?? null;
  return stage;
}

test.each(['DataError', 'UnknownError'])(
  'writes of other lanes are sent, though the record of one cannot be read: %s',
  async (says) => {
    const stage = await waitingOn(Object.assign(new UnreadableDisk('outbox'), { says }));
    expect((await sentBy(stage, 120)).toSorted()).toEqual(['1', '3']);
  },
);

test('a page that is back hears of what was refused, though the record of what is done cannot be read', async () => {
  const disk = new UnreadableDisk('ended');
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.queue(1, '1', {}, { lane: 'lane 1' });
  await tab.heard('entry-1 done');
  stage.answer = () => json({}, {}, 422);
  await tab.queue(2, '2', {}, { lane: 'lane 2' });
  await tab.heard('entry-2 review');
  await rounds();
  disk.unreadable = 1;
  const told = tab.told.length;
  await tab.greet();
  await goOn(stage, 10);
  expect(tab.told.slice(told)).toContain('entry-2 review');
});

test('old answers are deleted, though one of them cannot be read', async () => {
  const disk = new UnreadableDisk('ended');
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  for (let n = 1; n <= 20; n += 1) await tab.queue(n, `${n}`);
  await goOn(stage, 5);
  disk.unreadable = 1;
  await goOn(stage, 700);
  expect(tab.told.at(-1)).toBe('entry-20 done');
  expect(await keysIn('ended', disk)).toEqual([]);
});

test('what a lost outbox had is sent, though the copy of one write cannot be read', async () => {
  const disk = new UnreadableDisk('copies', '');
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  await waitingFor(stage, ['1', '2', '3']);
  await goOn(stage, 5);
  stage.loseDatabases();
  disk.unreadable = 'entry-2';
  expect(await sentBy(stage, 300)).toEqual(['1', '3']);
});

test('a copy that cannot be read is made anew', async () => {
  const disk = new UnreadableDisk('copies', '');
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  await waitingFor(stage, ['1', '2', '3']);
  await goOn(stage, 5);
  stage.restart();
  disk.unreadable = 'entry-2';
  stage.answer = () => json({}, { 'Retry-After': '2' }, 503);
  stage.open().meet();
  await goOn(stage, 20);
  stage.loseDatabases();
  expect(await sentBy(stage)).toEqual(['1', '2', '3']);
});

test('what uses a temporary id comes to review where the record of what creates it cannot be read, and other writes go on', async () => {
  const disk = new UnreadableDisk('outbox');
  const stage = new OutboxStage(disk);
  stage.answer = unreachable;
  const tab = stage.open();
  await tab.queue(1, '1', {}, { lane: 'lane 1', ...CREATES });
  await tab.queue(2, '2', USER, { lane: 'lane 2' });
  await tab.queue(3, '3', {}, { lane: 'lane 3' });
  stage.restart();
  disk.unreadable = 1;
  expect(await sentBy(stage)).toEqual(['3']);
  const other = stage.open();
  other.meet();
  expect(await other.list()).toMatchObject([{ entry: 'entry-2', state: 'review' }]);
});
test('a write whose record cannot be read is sent as its copy says', async () => {
  const stage = await waitingOn(new UnreadableDisk('outbox'), new Spare());
  expect((await sentBy(stage, 120)).toSorted()).toEqual(['1', '2', '3']);
});
