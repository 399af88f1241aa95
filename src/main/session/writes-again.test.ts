import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Params } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import { flush } from './host.fixture.ts';
import { answered, refused } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** Two PUTs to the same are with a worker. */
async function two(): Promise<{ stage: SessionStage; ends: () => unknown[] }> {
  const stage = new SessionStage();
  const [older, newer] = [await stage.call(1, { method: 'PUT' }), await stage.call(2, { method: 'PUT' })];
  return { stage, ends: () => [older.ends, newer.ends] };
}

/** The worker dies; which calls the next one is sent. */
async function sentAfterDeath(stage: SessionStage): Promise<number[]> {
  const life = await stage.host.kill();
  await flush();
  return life.submitted.map(({ id }) => id);
}

describe('a write that was lost with its worker', () => {
  test('is not sent again once a newer one to the same is done, which it would undo', async () => {
    const { stage, ends } = await two();
    await stage.host.life.settle(2, answered('newer'));
    expect(await sentAfterDeath(stage)).toEqual([]);
    expect(ends()).toEqual([['worker-lost'], ['newer']]);
  });

  const PHOTO = '/album/{album}/photo/{id}';

  test.each<[string, Params]>([
    [
      'in another order',
      [
        ['id', '2'],
        ['album', '1'],
      ],
    ],
    [
      'with one that the template does not name',
      [
        ['album', '1'],
        ['note', 'x'],
        ['id', '2'],
      ],
    ],
  ])('is not sent again once a newer one is done whose parameters were given %s', async (_how, params) => {
    const stage = new SessionStage();
    const older: Params = [
      ['album', '1'],
      ['id', '2'],
    ];
    await stage.call(1, { method: 'PUT', template: PHOTO, params: older });
    await stage.call(2, { method: 'PUT', template: PHOTO, params });
    await stage.host.life.settle(2, answered('newer'));
    expect(await sentAfterDeath(stage)).toEqual([]);
  });

  test('is sent again where a newer one with another parameter is done', async () => {
    const stage = new SessionStage();
    await stage.call(1, { method: 'PUT', template: '/photo/{id}', params: [['id', '1']] });
    await stage.call(2, { method: 'PUT', template: '/photo/{id}', params: [['id', '2']] });
    await stage.host.life.settle(2, answered('another'));
    expect(await sentAfterDeath(stage)).toEqual([1]);
  });

  test('is not sent again where a newer one was done, with an answer that is no JSON', async () => {
    const { stage } = await two();
    const failure = { code: 'parse', message: 'no JSON', status: 200, contentType: null } as const;
    await stage.host.life.settle(2, { ...refused(200), failure });
    expect(await sentAfterDeath(stage)).toEqual([]);
  });

  test('is not sent again where the page gave up a newer one, which may have been done', async () => {
    const { stage, ends } = await two();
    stage.session.abort([2]);
    expect(await sentAfterDeath(stage)).toEqual([]);
    expect(ends()).toEqual([['worker-lost'], ['aborted']]);
  });

  test('ends at once where the page gives up a newer one while it waits to be sent again', async () => {
    const { stage, ends } = await two();
    const newest = await stage.call(3, { method: 'PUT' });
    expect(await sentAfterDeath(stage)).toEqual([1]);
    stage.session.abort([3]);
    await flush();
    expect([...ends(), newest.ends]).toEqual([[], ['worker-lost'], ['aborted']]);
  });

  test('is not sent again where a newer POST was lost as well, which may have been done', async () => {
    const stage = new SessionStage();
    await stage.call(1, { method: 'PUT' });
    await stage.call(2, { method: 'POST' });
    expect(await sentAfterDeath(stage)).toEqual([]);
  });

  test('is sent again where the newer one was never sent to the server', async () => {
    const { stage } = await two();
    const failure = { code: 'protocol', message: 'no such header' } as const;
    await stage.host.life.settle(2, unanswered(failure));
    expect(await sentAfterDeath(stage)).toEqual([1]);
  });

  test('is sent again where the newer one was refused', async () => {
    const { stage, ends } = await two();
    await stage.host.life.settle(2, refused(409));
    expect(await sentAfterDeath(stage)).toEqual([1]);
    expect(ends()).toEqual([[], ['http']]);
  });

  test('is sent again where an older one, or one to another, is done', async () => {
    const { stage } = await two();
    await stage.call(3, { method: 'PUT', template: '/other' });
    await stage.host.life.settle(1, answered('older'));
    await stage.host.life.settle(3, answered('another'));
    expect(await sentAfterDeath(stage)).toEqual([2]);
  });

  test('is not sent again while a worker has a newer one to the same', async () => {
    const { stage, ends } = await two();
    const { life } = stage.host;
    life.answerInVain(1);
    // The page finds that it has missed the answer to the older one.
    void life.deliver({ kind: 'ticking', loop: 1, place: { sequence: life.instance, number: 9 } });
    await flush();
    expect(life.resyncs).toEqual([false, true]);
    expect([life.batches, ends()]).toEqual([
      [[1], [2]],
      [['worker-lost'], []],
    ]);
  });
});

const HOURS = 7_200_000;

/** The page is frozen, and its worker dies meanwhile. Which calls the next one is sent. */
async function sentAfterFreeze(stage: SessionStage, frozen: number): Promise<number[]> {
  vi.setSystemTime(Date.now() + frozen);
  const life = stage.host.revive();
  stage.session.presence.show();
  await flush();
  return life.submitted.map(({ id }) => id);
}

describe('a page that was frozen', () => {
  test('has a PUT sent again within its time', async () => {
    const stage = new SessionStage();
    await stage.call(1, { method: 'PUT' });
    expect(await sentAfterFreeze(stage, 20_000)).toEqual([1]);
  });

  test('has no PUT sent again after its time: others may have saved something newer', async () => {
    const stage = new SessionStage();
    const put = await stage.call(1, { method: 'PUT' });
    expect(await sentAfterFreeze(stage, HOURS)).toEqual([]);
    expect(put.ends).toEqual(['worker-lost']);
  });

  test('sends no POST after its time: that ends as a timeout', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const post = await stage.call(1, { method: 'POST' });
    expect(await sentAfterFreeze(stage, HOURS)).toEqual([]);
    await pass(33_000);
    expect(post.ends).toEqual(['timeout']);
    expect(stage.host.life.submitted).toEqual([]);
  });

  test('still reads what it wanted to read', async () => {
    const stage = new SessionStage();
    await stage.call(1);
    expect(await sentAfterFreeze(stage, HOURS)).toEqual([1]);
  });

  test('sends a newer write to the same, though an older one is too late', async () => {
    const stage = new SessionStage();
    await stage.call(1, { method: 'PUT' });
    stage.host.life.mute = true;
    await stage.call(2, { method: 'PUT', policy: { timeout: HOURS * 2 } });
    expect(await sentAfterFreeze(stage, HOURS)).toEqual([2]);
  });
});
