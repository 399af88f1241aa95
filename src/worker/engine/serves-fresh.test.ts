import { describe, expect, test } from 'vitest';
import { headerValue } from '../../shared/header.ts';
import type { CachePolicy } from '../../shared/invocation.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE, seconds } from './freshness.fixture.ts';

describe('an answer that is fresh', () => {
  test('is served without a request, as fresh, with its age', async () => {
    const stage = counting();
    await call(stage);
    await seconds(stage, 59);
    expect(await call(stage)).toMatchObject({
      kind: 'answered',
      answer: { body: { value: [1] } },
      servedFrom: 'cache',
      stale: false,
      age: 59,
      changed: false,
      request: { url: 'https://page.example/photo' },
    });
    await seconds(stage, 1);
    expect(gist(await call(stage))).toEqual([2]);
  });

  test('is served by the next life of the worker', async () => {
    const stage = counting();
    await call(stage);
    await stage.cache.settled();
    expect(gist(await call(stage.reborn()))).toEqual([1]);
  });

  test('is asked for all the same by a tick, a reload, and where the request says so', async () => {
    const stage = counting();
    await call(stage);
    expect(gist(await stage.invoke())).toEqual([2]);
    expect(gist(await call(stage, 'default', { policy: { revalidate: true } }))).toEqual([3]);
    expect(gist(await call(stage, 'default', { headers: [['Cache-Control', 'no-cache']] }))).toEqual([4]);
    expect(stage.sent(1, 'if-none-match')).toBe('"1"');
  });

  test('is not served to whom the worker hook makes another, nor what such a one was told', async () => {
    const stage = counting();
    let user = '';
    stage.hook = (request) => {
      if (user !== '') request.setRequestHeader('Authorization', user);
    };
    await call(stage);
    user = 'anna';
    expect(gist(await call(stage))).toEqual([2]);
    user = 'bert';
    expect(gist(await call(stage))).toEqual([3]);
    user = '';
    expect(gist(await call(stage))).toEqual([4]);
    expect(gist(await call(stage))).toEqual([4]);
  });

  test('is what a 304 makes it, for whom that was sent', async () => {
    const stage = counting({ 'Cache-Control': 'no-cache', ETag: '"1"' });
    await call(stage);
    stage.system.serve = () => new Response(null, { status: 304, headers: FOR_A_MINUTE });
    expect(gist(await stage.invoke())).toEqual([1]);
    expect(gist(await call(stage))).toEqual([1]);
    expect(stage.system.requests).toHaveLength(2);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
    await stage.invoke();
    expect(stage.sent(2, 'if-none-match')).toBeNull();
    stage.hook = () => {};
    expect(gist(await call(stage))).toEqual([1]);
    expect(stage.system.requests).toHaveLength(3);
  });

  test('becomes no part that its server sends', async () => {
    const stage = counting();
    await call(stage);
    stage.system.serve = () => json('part', FOR_A_MINUTE, 206);
    const headers: [string, string][] = [['Range', 'bytes=0-1,3-4']];
    for (let each = 0; each < 2; each += 1)
      expect(gist(await call(stage, 'default', { headers }))).toBe('part');
    expect(stage.system.requests).toHaveLength(3);
    stage.system.serve = unreachable;
    expect(gist(await call(stage))).toEqual([1]);
  });

  test('says how old it is, from when it was made', async () => {
    const stage = counting({ ...FOR_A_MINUTE, Age: '30' });
    await call(stage);
    await seconds(stage, 10);
    const outcome = await call(stage);
    expect(outcome).toMatchObject({ servedFrom: 'cache', age: 40 });
    expect(headerValue(outcome.answer?.headers ?? [], 'age')).toBe('40');
  });

  test('is told with the headers of the 304 that confirms it', async () => {
    const stage = counting({ 'Cache-Control': 'no-cache', ETag: '"1"', 'X-Made': 'then', Age: '30' });
    await call(stage);
    stage.system.serve = () => new Response(null, { status: 304, headers: { ETag: '"1"', 'X-Made': 'now' } });
    const { answer } = await stage.invoke();
    expect(['x-made', 'age'].map((name) => headerValue(answer?.headers ?? [], name))).toEqual(['now', null]);
  });

  test('is stored without the headers of its connection', async () => {
    const stage = counting({ ...FOR_A_MINUTE, Connection: 'X-Hop', 'X-Hop': 'a', 'X-End': 'b' });
    await call(stage);
    const { answer } = await call(stage);
    expect(['connection', 'x-hop', 'x-end'].map((name) => headerValue(answer?.headers ?? [], name))).toEqual([
      null,
      null,
      'b',
    ]);
  });

  test('says nothing of its server', async () => {
    const stage = counting();
    await call(stage);
    const noted = stage.noted.length;
    await call(stage);
    expect(stage.noted).toHaveLength(noted);
  });

  test('must be validated after a write to its URL, until it is asked for again', async () => {
    const stage = counting();
    await call(stage);
    await call(stage, 'default', { method: 'PUT' });
    expect(gist(await call(stage))).toEqual([3]);
    expect(gist(await call(stage))).toEqual([3]);
  });

  test('must be validated in the next life too', async () => {
    const stage = counting();
    await call(stage);
    await call(stage, 'default', { method: 'PUT' });
    await stage.cache.settled();
    expect(gist(await call(stage.reborn()))).toEqual([3]);
  });

  test.each(['Location', 'Content-Location'])(
    'must be validated after a write that names its URL: %s',
    async (name) => {
      const stage = counting();
      await call(stage);
      stage.system.serve = () => json(null, { [name]: '/photo' }, 201);
      await call(stage, 'default', { method: 'POST', template: '/photos' });
      stage.system.serve = () => json(['asked']);
      expect(gist(await call(stage))).toEqual(['asked']);
    },
  );

  test('is not outdated by a write that was refused, nor by one that names another origin', async () => {
    const stage = counting();
    await call(stage);
    stage.system.serve = () => json(null, {}, 422);
    await call(stage, 'default', { method: 'PUT' });
    stage.system.serve = () => json(null, { Location: 'https://other.example/photo' }, 201);
    await call(stage, 'default', { method: 'POST', template: '/photos' });
    expect(gist(await call(stage))).toEqual([1]);
  });

  test('is not served where another engine has heard of a write', async () => {
    const stage = counting();
    await call(stage);
    const other = stage.reborn();
    await stage.cache.settled();
    await call(other, 'default', { method: 'PUT' });
    await other.cache.settled();
    expect(gist(await call(stage))).toEqual([3]);
  });

  test('is not served while a write to its URL ends', async () => {
    const stage = counting();
    await call(stage);
    const [, read] = await Promise.all([call(stage, 'default', { method: 'PUT' }), call(stage)]);
    expect([[1], [3]]).toContainEqual(gist(read));
  });
});

describe('the policy', () => {
  const STALE = { 'Cache-Control': 'max-age=0' };
  const STRICT = { 'Cache-Control': 'no-cache' };

  test.each<[CachePolicy, Readonly<Record<string, string>>, unknown, unknown]>([
    ['default', FOR_A_MINUTE, [1], [1]],
    ['default', STALE, [2], [1]],
    ['default', STRICT, [2], [1]],
    ['strict', FOR_A_MINUTE, [1], [1]],
    ['strict', STALE, [2], [1]],
    ['strict', STRICT, [2], 'network'],
    ['network-first', FOR_A_MINUTE, [2], [1]],
    ['cache-first', STALE, [1], [1]],
    ['cache-only', STALE, [1], [1]],
    ['network-only', FOR_A_MINUTE, [2], 'network'],
    [{ maxAge: 60 }, {}, [1], [1]],
    [{ maxAge: 60 }, STALE, [2], [1]],
  ])('%j: after %j there is %j with a network, and %j without', async (policy, headers, online, offline) => {
    const stage = counting(headers);
    await call(stage);
    await seconds(stage, 1);
    expect(gist(await call(stage, policy))).toEqual(online);
    const cutOff = counting(headers);
    await call(cutOff);
    await seconds(cutOff, 1);
    cutOff.system.serve = unreachable;
    expect(gist(await call(cutOff, policy))).toEqual(offline);
  });

  test('cache-only asks nobody, and says so where nothing is stored', async () => {
    const stage = counting();
    expect(await call(stage, 'cache-only')).toMatchObject({ kind: 'failed', failure: { code: 'offline' } });
    expect(stage.system.requests).toHaveLength(0);
  });

  test('cache-first asks where nothing is stored, and marks what is not fresh', async () => {
    const stage = counting(STALE);
    expect(gist(await call(stage, 'cache-first'))).toEqual([1]);
    await seconds(stage, 1);
    expect(await call(stage, 'cache-first')).toMatchObject({ servedFrom: 'cache', stale: true });
  });

  test.each([500, 502, 503, 504])(
    'lets what is stored stand for status %i, where that is allowed',
    async (status) => {
      const stage = counting({ 'Cache-Control': 'max-age=10, stale-if-error=10' });
      await call(stage);
      stage.system.serve = () => json(null, {}, status);
      await seconds(stage, 19);
      expect(await call(stage)).toMatchObject({
        kind: 'answered',
        stale: true,
        answer: { body: { value: [1] } },
      });
      await seconds(stage, 1);
      expect(gist(await call(stage))).toBe('http');
    },
  );

  test('lets the app allow that', async () => {
    const stage = counting({});
    await call(stage);
    stage.system.serve = () => json(null, {}, 503);
    expect(gist(await call(stage, { maxAge: 0, staleIfError: 10 }))).toEqual([1]);
    expect(gist(await call(stage))).toBe('http');
    expect(gist(await stage.invoke({ policy: { cache: { maxAge: 0, staleIfError: 10 } } }))).toBe('http');
  });
});

describe('a request says', () => {
  test.each<[string, number, unknown]>([
    ['max-age=5', 4, [1]],
    ['max-age=5', 6, [2]],
    ['min-fresh=5', 54, [1]],
    ['min-fresh=5', 56, [2]],
    ['max-stale=5', 64, [1]],
    ['max-stale=5', 66, [2]],
    ['max-stale', 6_000, [1]],
    ['only-if-cached', 6, [1]],
    ['only-if-cached', 6_000, 'offline'],
  ])('%s, after %i s', async (value, after, expected) => {
    const stage = counting();
    await call(stage);
    await seconds(stage, after);
    expect(gist(await call(stage, 'default', { headers: [['Cache-Control', value]] }))).toEqual(expected);
  });
});

describe('validators go along', () => {
  const LONG = 'x'.repeat(20_000);

  test.each<[string, Wish, string, string | null]>([
    ['with a call for a long answer', {}, LONG, '"1"'],
    ['not with a call for a short one', {}, 'x', null],
    ['with any call that is strict', { policy: { cache: 'strict' } }, 'x', '"1"'],
    [
      'not to another origin',
      { documentUrl: 'https://other.example/', baseUrl: 'https://page.example' },
      LONG,
      null,
    ],
  ])('%s', async (_, wish, body, expected) => {
    const stage = new EngineStage(() => json([body], { ETag: '"1"', 'Cache-Control': 'no-cache' }));
    const asked = { ...wish, policy: { origins: ['https://page.example'], ...wish.policy } };
    await call(stage, wish.policy?.cache, asked);
    await call(stage, wish.policy?.cache, asked);
    expect(stage.sent(1, 'if-none-match')).toBe(expected);
  });
});
