import { expect, test } from 'vitest';
import type { Submission } from '../../shared/protocol.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { SlowReads } from './slow-reads.fixture.ts';
import { Spare } from './spare.fixture.ts';

/** In steps that are shorter than what a reading takes. */
async function pass({ world }: OutboxStage, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 10; step += 1) await world.clock.advance(100);
}

function offline(disk: IDBFactory): OutboxStage {
  const stage = new OutboxStage(disk);
  stage.world.online = false;
  stage.answer = unreachable;
  return stage;
}

/** Each refusal is kept with its answer, up to 64 KiB. To read two hundred of them takes the disk 2.4 s. */
async function refuse(stage: OutboxStage, tab: OutboxTab): Promise<void> {
  for (let n = 1; n <= 200; n += 1) {
    await tab.queue(n, `refused ${n}`);
    // What is told quickly is told a frame at a time.
    await stage.world.clock.advance(100);
    await tab.heard(`entry-${n} review`);
  }
}

const refused = (): Response => json({ why: 'x'.repeat(60_000) }, {}, 422);

test('large writes of several lanes arrive from a slow disk', async () => {
  // To read one takes less than half of what a transaction may take.
  const disk = new SlowReads(1_000);
  const stage = offline(disk);
  const tab = stage.open();
  for (let n = 1; n <= 4; n += 1)
    await tab.queue(n, `${n} ${'x'.repeat(900_000)}`, {}, { lane: `lane ${n}` });
  stage.restart();
  [disk.clock, disk.isSlow] = [stage.world.clock, true];
  stage.answer = () => null;
  stage.open().meet();
  await pass(stage, 60);
  expect(stage.performed.map((text) => text.slice(0, 1)).toSorted()).toEqual(['1', '2', '3', '4']);
});

test('one that is too large for a slow disk takes no other along', async () => {
  const disk = new SlowReads(1_000);
  const stage = offline(disk);
  const tab = stage.open();
  await tab.queue(1, 'x'.repeat(3_000_000), {}, { lane: 'large' });
  for (let n = 2; n <= 4; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  stage.restart();
  [disk.clock, disk.isSlow] = [stage.world.clock, true];
  stage.answer = () => null;
  stage.open().meet();
  await pass(stage, 60);
  expect(stage.performed.toSorted()).toEqual(['2', '3', '4']);
});

test('a write is sent, though many refusals of another lane wait for somebody', async () => {
  const disk = new SlowReads(5_000);
  const stage = new OutboxStage(disk);
  stage.answer = refused;
  await refuse(stage, stage.open());
  stage.restart();
  [disk.clock, disk.isSlow] = [stage.world.clock, true];
  stage.answer = () => null;
  void stage.open().queue(1_001, 'good', {}, { lane: 'b' });
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['good']);
});

test('a write comes back after the loss of all databases, though many refusals waited beside it', async () => {
  const disk = new SlowReads(5_000);
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  const tab = stage.open();
  stage.answer = ({ init }) => (init.body === 'good' ? json({}, {}, 503) : refused());
  await tab.queue(1_001, 'good', {}, { lane: 'b' });
  await refuse(stage, tab);
  await goOn(stage, 5);
  stage.loseDatabases();
  [disk.clock, disk.isSlow] = [stage.world.clock, true];
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 120);
  expect(stage.performed).toEqual(['good']);
});

test('photos that are added in one turn are queued', async () => {
  const disk = new SlowReads(1_000);
  [disk.isSlow, disk.writes] = [true, true];
  const stage = offline(disk);
  disk.clock = stage.world.clock;
  const tab = stage.open();
  tab.meet();
  await rounds();
  const ids = [1, 2, 3, 4, 5, 6, 7, 8];
  void tab.submitAll(ids.map(upload));
  for (let n = 0; n < 400; n += 1) {
    await stage.world.clock.advance(50);
    await rounds(1);
  }
  expect([tab.queued, tab.settled]).toEqual([ids, []]);
});

function upload(id: number): Submission {
  const body = { kind: 'bytes', bytes: new ArrayBuffer(400_000) } as const;
  const ticket = {
    entry: `entry-${id}`,
    key: `key-${id}`,
    resource: 'photos',
    action: 'add',
    lane: `photo ${id}`,
  };
  return { ...submission(id, { method: 'POST', template: '/photos', body }), ticket };
}

test('what waits is listed with its data, though the disk needs a while to read it all', async () => {
  const disk = new SlowReads(12_000);
  const stage = offline(disk);
  disk.clock = stage.world.clock;
  const tab = stage.open();
  for (let n = 1; n <= 60; n += 1) await tab.queue(n, `${n} ${'x'.repeat(500_000)}`);
  disk.isSlow = true;
  const listed: boolean[] = [];
  void tab.list().then((entries) => listed.push(...entries.map(({ body }) => body !== null)));
  for (let n = 0; n < 100 && listed.length === 0; n += 1) {
    await stage.world.clock.advance(100);
    await rounds(1);
  }
  // As many as one message tells.
  expect(listed).toEqual(Array.from({ length: 8 }, () => true));
});
