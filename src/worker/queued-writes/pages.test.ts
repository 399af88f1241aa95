import { describe, expect, test } from 'vitest';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { json } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { SlowDisk } from './slow-disk.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

describe('what waits for a user', () => {
  test('is sent and told as that user comes back after a reload', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({}, {}, 503);
    await tab.queue(1, 'of anna');
    await stage.failed(tab, 1);
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.greet();
    await stage.world.clock.advance(5_000);
    expect([stage.performed, next.told, next.waiting]).toEqual([[], [], null]);
    await next.sign('anna');
    await stage.world.clock.advance(60_000);
    expect([stage.performed, next.told, next.waiting]).toEqual([['of anna'], ['entry-1 done'], 0]);
  });

  test('is not told to a page that has not said for whom it is, beside one that has', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, 'of anna');
    await tab.heard('entry-1 review');
    const next = stage.open();
    await next.greet();
    await settle();
    expect([next.told, next.waiting]).toEqual([[], null]);
    await next.sign('anna');
    await stage.world.clock.advance(1);
    expect([next.told, next.waiting]).toEqual([['entry-1 review'], 1]);
  });
});

test('a discard that is said twice, since its reply was lost, is made', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  const discard = { kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } } as const;
  await tab.remote.control(discard);
  stage.restart();
  const next = stage.open();
  await next.greet();
  expect(await next.remote.control(discard)).toEqual({ kind: 'decided', as: 'decided' });
});

test('a page is told that its call cannot be stored before the server is asked', async () => {
  const stage = new OutboxStage(null);
  const tab = stage.open();
  const posted: string[] = [];
  const post = tab.postMessage.bind(tab);
  tab.postMessage = (...message) => {
    posted.push(JSON.stringify(message));
    post(...message);
  };
  let isTold = false;
  stage.answer = () => {
    isTold = posted.some((message) => message.includes('unqueued'));
    return null;
  };
  await tab.queue(1, 'Dusk');
  expect([isTold, tab.queued, tab.settled, stage.performed]).toEqual([true, [], [1], ['Dusk']]);
});

/** What a page hears that comes while the disk fails. */
async function toldAfter(status: number, end: string, isBack: boolean): Promise<string[]> {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, {}, status);
  await tab.queue(1, 'Dusk');
  await tab.heard(`entry-1 ${end}`);
  await rounds();
  stage.restart();
  disk.isBroken = true;
  const next = isBack ? tab : stage.open();
  const before = next.told.length;
  await next.greet();
  await goOn(stage, 5);
  disk.isBroken = false;
  await goOn(stage, 30);
  return next.told.slice(before);
}

describe('a page that comes while the disk fails hears, once it does not,', () => {
  test.each([
    [400, 'review'],
    [412, 'conflict'],
  ])('what was answered %i and waits for a decision', async (status, end) => {
    expect(await toldAfter(status, end, false)).toEqual([`entry-1 ${end}`]);
  });

  test('what was done while it was away', async () => {
    expect(await toldAfter(201, 'done', true)).toEqual(['entry-1 done']);
  });
});

/** Many tabs come at once to a worker that reads slowly; as many writes as `refused` says wait for a decision. */
async function comeTogether(refused: readonly number[]): Promise<{ stage: OutboxStage; tabs: OutboxTab[] }> {
  const disk = new SlowDisk(1_000_000);
  const stage = new OutboxStage(disk);
  const first = stage.open();
  stage.answer = () => json({}, {}, 422);
  for (const id of refused) {
    await first.queue(id, `refused ${id}`);
    await stage.world.clock.advance(100);
    await first.heard(`entry-${id} review`);
  }
  stage.restart();
  stage.answer = () => null;
  [disk.clock, disk.latency] = [stage.world.clock, 2];
  const tabs = Array.from({ length: 8 }, () => stage.open());
  for (const tab of tabs) tab.meet();
  return { stage, tabs };
}

describe('while many tabs that come at once are told of many refused writes,', () => {
  const refused = Array.from({ length: 50 }, (_, index) => index + 1);

  test('the end of another write is told soon, and after these', async () => {
    const { stage, tabs } = await comeTogether(refused);
    void tabs[0]?.queue(100, 'Dusk', {}, { lane: 'b' });
    for (let step = 0; step < 200; step += 1) await stage.world.clock.advance(2);
    expect(stage.performed).toEqual(['Dusk']);
    const owed = refused.map((id) => `entry-${id} review`);
    for (const { told, writes } of tabs) {
      expect(told).toEqual([...owed, 'entry-100 done']);
      expect(writes.every(({ body }) => body !== null)).toBe(true);
    }
  });

  test('no tab hears of the refusal of one after its end', async () => {
    const { stage, tabs } = await comeTogether(refused);
    const discarded = refused.slice(-20);
    for (const id of discarded) {
      const discard = { kind: 'decide', entry: `entry-${id}`, decision: { kind: 'discard' } } as const;
      void tabs[0]?.remote.control(discard);
      await stage.world.clock.advance(2);
    }
    for (let step = 0; step < 200; step += 1) await stage.world.clock.advance(2);
    for (const { told } of tabs) {
      const last = discarded.map((id) => told.findLast((each) => each.startsWith(`entry-${id} `)));
      expect(last).toEqual(discarded.map((id) => `entry-${id} discarded`));
    }
  });
});
