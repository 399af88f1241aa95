import { describe, expect, test } from 'vitest';
import type { CachePolicy } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { hold } from '../storage/held-database.fixture.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { gist } from './engine.fixture.ts';
import type { EngineStage } from './engine.fixture.ts';
import { call, counting, seconds } from './freshness.fixture.ts';

const BEHIND = { 'Cache-Control': 'max-age=10, stale-while-revalidate=20' };

/** A worker that has stored `[1]`. */
async function having(headers: Readonly<Record<string, string>> = BEHIND): Promise<EngineStage> {
  const stage = counting(headers);
  await call(stage);
  return stage;
}

/** A call whose server answers once all was told that can be. */
async function slowCall(
  stage: EngineStage,
  cache: CachePolicy = 'default',
  wish: Wish = {},
  serve: Serve = stage.system.serve,
): Promise<Outcome> {
  let isOver = false;
  stage.system.serve = async (seen) => {
    await until(() => isOver);
    return serve(seen);
  };
  const calling = call(stage, cache, wish);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  isOver = true;
  return calling;
}

test('an answer that is stale for a while is told at once, and the server’s after it', async () => {
  const stage = await having();
  await seconds(stage, 29);
  expect(await slowCall(stage)).toMatchObject({ servedFrom: 'network', answer: { body: { value: [2] } } });
  expect(stage.first).toMatchObject([
    { servedFrom: 'cache', stale: true, age: 29, answer: { body: { value: [1] } } },
  ]);
});

test('after that time, and while it is fresh, a call is told one answer', async () => {
  const stage = await having();
  expect(gist(await slowCall(stage))).toEqual([1]);
  await seconds(stage, 30);
  expect(gist(await slowCall(stage))).toEqual([2]);
  expect(stage.first).toEqual([]);
});

test('the app may allow it for servers that say nothing, and what they say counts more', async () => {
  const lifetimes = { maxAge: 10, staleWhileRevalidate: 20 };
  for (const [headers, told] of [
    [{}, [[1]]],
    [{ 'Cache-Control': 'max-age=10, stale-while-revalidate=5' }, []],
  ] as const) {
    const stage = await having(headers);
    await seconds(stage, 20);
    expect(gist(await slowCall(stage, lifetimes))).toEqual([2]);
    expect(stage.first.map(gist)).toEqual(told);
  }
});

test('a storage that is late is heard as long as the server has not answered', async () => {
  const stage = await having();
  await stage.cache.settled();
  const next = stage.reborn();
  await seconds(stage, 20);
  const release = await hold(stage.system);
  const answer = new Deferred();
  stage.system.serve = async () => {
    await answer.promise;
    return json(['late']);
  };
  const calling = call(next);
  await seconds(next, 1);
  expect(stage.system.requests).toHaveLength(2);
  release();
  await until(() => next.first.length === 1);
  answer.resolve();
  expect(gist(await calling)).toEqual(['late']);
  expect(next.first).toMatchObject([{ stale: true, answer: { body: { value: [1] } } }]);
});

describe('it is not told', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['must-revalidate', { 'Cache-Control': `${BEHIND['Cache-Control']}, must-revalidate` }],
    ['no-cache', { 'Cache-Control': `${BEHIND['Cache-Control']}, no-cache` }],
    ['Vary: Cookie', { ...BEHIND, Vary: 'Cookie' }],
  ])('after %s', async (_, headers) => {
    const stage = await having(headers);
    await seconds(stage, 20);
    expect(gist(await slowCall(stage))).toEqual([2]);
    expect(stage.first).toEqual([]);
  });

  test.each<[string, CachePolicy, Wish]>([
    ['network-first wants the server’s', 'network-first', {}],
    ['the call reloads', 'default', { policy: { revalidate: true } }],
    ['the request wants none from the cache', 'default', { headers: [['Cache-Control', 'no-cache']] }],
    ['the request wants a younger one', 'default', { headers: [['Cache-Control', 'max-age=15']] }],
  ])('where %s', async (_, policy, wish) => {
    const stage = await having();
    await seconds(stage, 20);
    expect(gist(await slowCall(stage, policy, wish))).toEqual([2]);
    expect(stage.first).toEqual([]);
  });

  test('after a write to its URL', async () => {
    const stage = await having();
    await seconds(stage, 20);
    await call(stage, 'default', { method: 'PUT' });
    expect(gist(await slowCall(stage))).toEqual([3]);
    expect(stage.first).toEqual([]);
  });

  test('where the worker hook makes the request another user’s', async () => {
    const stage = await having();
    await seconds(stage, 20);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
    expect(gist(await slowCall(stage))).toEqual([2]);
    expect(stage.first).toEqual([]);
  });
});

describe('where the server’s answer does not come', () => {
  test.each<[string, Serve]>([
    ['the network fails', unreachable],
    ['the server fails for now', () => json(null, {}, 503)],
  ])('since %s, the stored one is the answer too', async (_, serve) => {
    const stage = await having();
    await seconds(stage, 20);
    expect(await slowCall(stage, 'default', {}, serve)).toMatchObject({
      servedFrom: 'cache',
      stale: true,
      changed: false,
      answer: { body: { value: [1] } },
    });
    expect(stage.first.map(gist)).toEqual([[1]]);
  });

  test('since what was told is gone or forbidden, that is told', async () => {
    const stage = await having();
    await seconds(stage, 20);
    expect(await slowCall(stage, 'default', {}, () => json(null, {}, 404))).toMatchObject({
      failure: { code: 'http', status: 404 },
    });
    expect(stage.first.map(gist)).toEqual([[1]]);
  });

  test('for a reload since the server fails, it is told of the failure', async () => {
    const stage = await having();
    await seconds(stage, 20);
    const reload = { policy: { revalidate: true } };
    expect(gist(await slowCall(stage, 'default', reload, () => json(null, {}, 503)))).toBe('http');
  });
});
