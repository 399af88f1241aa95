import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flush } from './host.fixture.ts';
import { answered, submission } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';
import { fakeTime, HeardCall, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** Calls in one turn of the event loop, with ids from 1. */
async function callAll(stage: SessionStage, ...wishes: readonly Wish[]): Promise<HeardCall[]> {
  const heard = wishes.map((wish, index) => {
    const each = new HeardCall();
    stage.session.call(submission(index + 1, wish), each);
    return each;
  });
  await flush();
  return heard;
}

test('equal reads of one turn are one submission, and all hear the very same of it', async () => {
  const stage = new SessionStage();
  const heard = await callAll(stage, {}, {}, {});
  const { life } = stage.host;
  expect(life.batches).toEqual([[1]]);
  await life.deliver({ kind: 'sent', to: { id: 1 }, status: 200, headers: [] });
  await life.deliver({ kind: 'preliminary', id: 1, outcome: answered(['old']) });
  await life.settle(1, answered(['new']));
  for (const each of heard) {
    expect(each.steps).toEqual([
      ['sent', 200, []],
      ['preliminary', ['old']],
    ]);
    expect(each.ends).toEqual([['new']]);
    expect(each.ends[0]).toBe(heard[0]?.ends[0]);
  }
});

test('a hundred are one submission', async () => {
  const stage = new SessionStage();
  const heard = await callAll(stage, ...Array.from({ length: 100 }, () => ({})));
  expect(stage.host.life.batches).toEqual([[1]]);
  await stage.host.life.settle(1, answered('a'));
  expect(heard.every(({ ends }) => ends[0] === 'a')).toBe(true);
});

test.each<[string, Wish]>([
  ['other parameters', { params: [['id', '1']] }],
  ['other headers', { headers: [['A', '1']] }],
  ['another timeout', { policy: { timeout: 1 } }],
  ['a reload', { policy: { revalidate: true } }],
  ['another policy', { policy: { cache: 'network-only' } }],
])('reads with %s are submissions of their own', async (_, wish) => {
  const stage = new SessionStage();
  await callAll(stage, {}, wish, {}, wish);
  expect(stage.host.life.batches).toEqual([[1, 2]]);
});

test('writes are never one, and reads before and after a write are two', async () => {
  const stage = new SessionStage();
  await callAll(stage, {}, { method: 'POST' }, { method: 'POST' }, {}, {});
  expect(stage.host.life.batches).toEqual([[1, 2, 3, 4]]);
});

test('a read of a later turn is a submission of its own: the worker knows whether it may share', async () => {
  const stage = new SessionStage();
  await stage.call(1);
  await stage.call(2);
  expect(stage.host.life.batches).toEqual([[1], [2]]);
});

describe('a call that gives up', () => {
  test('leaves the others, whichever it is', async () => {
    for (const id of [1, 2]) {
      const stage = new SessionStage();
      const heard = await callAll(stage, {}, {});
      stage.session.abort([id]);
      await flush();
      expect(stage.host.life.told('abort')).toEqual([]);
      await stage.host.life.settle(1, answered('a'));
      expect(heard.map(({ ends }) => ends)).toEqual(id === 1 ? [['aborted'], ['a']] : [['a'], ['aborted']]);
    }
  });

  test('as the last one ends the submission', async () => {
    const stage = new SessionStage();
    const heard = await callAll(stage, {}, {});
    stage.session.abort([1]);
    stage.session.abort([2]);
    await flush();
    expect(stage.host.life.told('abort')).toMatchObject([{ ids: [1] }]);
    expect(heard.map(({ ends }) => ends)).toEqual([['aborted'], ['aborted']]);
  });

  test('in the turn in which it was made takes no later one along', async () => {
    const stage = new SessionStage();
    const [first, second] = [new HeardCall(), new HeardCall()];
    stage.session.call(submission(1), first);
    stage.session.abort([1]);
    stage.session.call(submission(2), second);
    await flush();
    expect(stage.host.life.batches).toEqual([[2]]);
    await stage.host.life.settle(2, answered('a'));
    expect([first.ends, second.ends]).toEqual([['aborted'], ['a']]);
  });
});

test('they reach the next worker as one, and fail as one where none can be had', async () => {
  const stage = new SessionStage();
  const heard = await callAll(stage, {}, {});
  const life = await stage.host.kill();
  await flush();
  expect(life.batches).toEqual([[1]]);
  await life.settle(1, answered('a'));
  expect(heard.map(({ ends }) => ends)).toEqual([['a'], ['a']]);
});

test('each has missed its deadline when the one has', async () => {
  const stage = new SessionStage();
  const heard = await callAll(stage, { policy: { timeout: 1_000 } }, { policy: { timeout: 1_000 } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(heard.map(({ ends }) => ends)).toEqual([['timeout'], ['timeout']]);
});
