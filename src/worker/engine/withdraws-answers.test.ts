import { describe, expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE } from './freshness.fixture.ts';

const OTHER = { headers: [['X-Lang', 'de']] } as const;

/** Two answers of one URL are stored; then the server answers with the status, once. */
async function after(status: number, method: string): Promise<EngineStage> {
  const stage = new EngineStage(() => json([1]));
  await stage.invoke();
  await stage.invoke(OTHER);
  stage.system.serve = () => json(null, {}, status);
  await stage.call({ method });
  stage.system.serve = unreachable;
  return stage;
}

describe('what is stored is not served any more', () => {
  test.each([
    [401, 'GET'],
    [403, 'GET'],
    [404, 'GET'],
    [410, 'GET'],
    [404, 'HEAD'],
    [200, 'DELETE'],
    [404, 'DELETE'],
    [410, 'PUT'],
  ])('after %i to %s', async (status, method) => {
    const stage = await after(status, method);
    expect(gist(await stage.invoke())).toBe('network');
    expect(gist(await stage.invoke(OTHER))).toBe('network');
    expect(await stage.newest()).toBeNull();
    await stage.cache.settled();
    expect(await stage.entries).toBe(0);
  });

  test('nor by the next life of the worker', async () => {
    const stage = await after(403, 'GET');
    await stage.cache.settled();
    expect(gist(await stage.reborn().invoke())).toBe('network');
  });
});

describe('what is stored stays', () => {
  test.each([
    [400, 'GET'],
    [429, 'GET'],
    [500, 'GET'],
    [401, 'PUT'],
    [403, 'POST'],
    [200, 'PUT'],
  ])('after %i to %s', async (status, method) => {
    const stage = await after(status, method);
    expect(gist(await stage.invoke())).toEqual([1]);
    expect(gist(await stage.invoke(OTHER))).toEqual([1]);
  });

  test('where it was asked for after the answer that withdrew it', async () => {
    const stage = await after(404, 'GET');
    stage.system.serve = () => json([2]);
    expect(gist(await stage.invoke())).toEqual([2]);
    await stage.cache.settled();
    stage.system.serve = unreachable;
    expect(gist(await stage.invoke())).toEqual([2]);
  });
});

/** The answer to the one request is stored; then the other is refused, or answered so. */
async function afterOther(one: Wish, other: Wish, answer: () => Response): Promise<EngineStage> {
  const stage = counting({ 'Cache-Control': 'max-age=60', Vary: 'X-Lang' });
  await call(stage, 'default', one);
  stage.system.serve = answer;
  await call(stage, 'default', { ...other, policy: { revalidate: true, ...other.policy } });
  stage.system.serve = unreachable;
  return stage;
}

function portal(status = 403): Response {
  return new Response('<p>pay</p>', { status, headers: { 'Content-Type': 'text/html' } });
}

function broken(): Response {
  return new Response('{', { headers: { 'Content-Type': 'application/json' } });
}

const refusal = (): Response => json(null, {}, 403);

describe('what is stored for other requests', () => {
  const [anna, bert] = [
    { headers: [['Authorization', 'anna']] } as const,
    { headers: [['Authorization', 'bert']] } as const,
  ];
  test.each<[string, Wish, Wish]>([
    ['another user', anna, bert],
    ['one without a token', anna, {}],
    ['one without cookies', {}, { policy: { credentials: 'omit' } }],
    ['another variant', OTHER, { headers: [['X-Lang', 'en']] }],
    ['a variant where the first has none', {}, OTHER],
  ])('stays where %s is refused, but is not fresh any more', async (_, one, other) => {
    const stage = await afterOther(one, other, refusal);
    expect(gist(await call(stage, 'cache-only', one))).toEqual([1]);
    expect(await call(stage, 'default', one)).toMatchObject({ kind: 'answered', stale: true });
    expect(gist(await call(stage, 'cache-only', other))).toBe('offline');
    expect(stage.system.requests).toHaveLength(3);
  });

  test('stays where another user of the hook is refused', async () => {
    const stage = counting();
    stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
    await call(stage);
    const login = stage.hook;
    stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
    stage.system.serve = refusal;
    await call(stage);
    stage.hook = login;
    stage.system.serve = unreachable;
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
    stage.system.serve = refusal;
    await call(stage);
    expect(gist(await call(stage, 'cache-only'))).toBe('offline');
  });

  test.each<[string, Wish, () => Response]>([
    [
      'a part of it comes',
      { headers: [['Range', 'bytes=0-1']] },
      () => json('part', { 'Content-Range': 'bytes 0-1/9' }, 206),
    ],
    ['a part comes that nobody asked for', {}, () => json('part', { 'Content-Range': 'bytes 0-1/9' }, 206)],
    [
      'the condition of the page is not met',
      { headers: [['If-None-Match', '"other"']] },
      () => new Response(null, { status: 304 }),
    ],
  ])('stays fresh where %s', async (_, other, answer) => {
    const stage = await afterOther({}, other, answer);
    expect(gist(await call(stage))).toEqual([1]);
    expect(stage.system.requests).toHaveLength(2);
  });
});

describe("a captive portal's refusal", () => {
  test('removes nothing, but nothing is fresh after it', async () => {
    const stage = await afterOther({}, {}, () => portal());
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
    expect(await call(stage)).toMatchObject({ kind: 'answered', stale: true });
  });

  test('is known by what came before, where any type was asked for', async () => {
    const any = { headers: [['Accept', '*/*']] } as const;
    const stage = await afterOther(any, any, () => portal());
    expect(gist(await call(stage, 'cache-only', any))).toEqual([1]);
  });

  test('of a deletion removes nothing either', async () => {
    const stage = await afterOther({}, { method: 'DELETE' }, () => portal(404));
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
    expect(await call(stage)).toMatchObject({ kind: 'answered', stale: true });
  });
});

describe('a deletion whose answer cannot be read', () => {
  test('has deleted', async () => {
    const stage = await afterOther({}, { method: 'DELETE' }, broken);
    expect(gist(await call(stage, 'cache-only'))).toBe('offline');
  });

  test('may not have, where a portal answers', async () => {
    const stage = await afterOther({}, { method: 'DELETE' }, () => portal(200));
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
  });
});

test('what two requests have selected is removed, though the one asked later is refused first', async () => {
  const stage = counting({ 'Cache-Control': 'max-age=60', Vary: 'X-Lang' });
  await call(stage, 'default', OTHER);
  const open: ((response: Response) => void)[] = [];
  stage.system.serve = () => new Promise((resolve) => open.push(resolve));
  const other = call(stage, 'network-only', OTHER);
  await until(() => open.length === 1);
  const later = call(stage, 'network-only');
  await until(() => open.length === 2);
  open[1]?.(json(null, {}, 404));
  await later;
  open[0]?.(json(null, {}, 404));
  await other;
  expect(gist(await call(stage, 'cache-only', OTHER))).toBe('offline');
});

test('a refusal that comes after a newer answer removes nothing of that', async () => {
  const stage = counting();
  const open: ((response: Response) => void)[] = [];
  stage.system.serve = () => new Promise((resolve) => open.push(resolve));
  const refused = call(stage, 'network-only');
  await until(() => open.length === 1);
  const write = stage.call({ method: 'PUT' });
  await until(() => open.length === 2);
  open[1]?.(json(null));
  await write;
  stage.system.serve = () => json(['new'], FOR_A_MINUTE);
  expect(gist(await call(stage))).toEqual(['new']);
  open[0]?.(json(null, {}, 404));
  await refused;
  expect(gist(await call(stage, 'cache-only'))).toEqual(['new']);
});
