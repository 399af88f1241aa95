import { describe, expect, test } from 'vitest';
import { headerValue } from '../../shared/header.ts';
import { json, until } from '../platform/system.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, seconds } from './freshness.fixture.ts';

const FOR_A_MINUTE = { 'Cache-Control': 'max-age=60' };

/** A server that refuses, and counts its requests. */
function refusing(status: number, headers: Readonly<Record<string, string>> = FOR_A_MINUTE): EngineStage {
  const stage: EngineStage = new EngineStage(() => json(stage.system.requests.length, headers, status));
  return stage;
}

/** How often the server was asked by two calls in a row. */
async function asked(
  stage: EngineStage,
  wish: Wish = {},
  between: () => unknown = () => {},
): Promise<number> {
  await call(stage);
  await between();
  await call(stage, 'default', wish);
  return stage.system.requests.length;
}

describe('a refusal that is fresh', () => {
  test.each([400, 404, 405, 410, 499, 500, 503, 599])(
    'is told again without a request: %i',
    async (status) => {
      const stage = refusing(status);
      await call(stage);
      await seconds(stage, 59);
      const outcome = await call(stage);
      expect(outcome).toMatchObject({
        kind: 'failed',
        failure: { code: 'http', status, body: 1 },
        servedFrom: 'cache',
        age: 59,
      });
      expect(headerValue(outcome.answer?.headers ?? [], 'age')).toBe('59');
      await seconds(stage, 1);
      expect(await call(stage)).toMatchObject({ failure: { body: 2 } });
    },
  );

  test.each([401, 403, 408, 425, 429])(
    'is asked for again where another may get another answer: %i',
    async (status) => {
      expect(await asked(refusing(status))).toBe(2);
    },
  );

  test.each<[string, number, Readonly<Record<string, string>>, number]>([
    ['not where its server says nothing', 404, {}, 2],
    ['as long as its last change makes likely', 404, { 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1],
    ['not so for every status', 403, { 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 2],
    [
      'where it is public',
      599,
      { 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT', 'Cache-Control': 'public' },
      1,
    ],
    ['not where it must not be stored', 404, { 'Cache-Control': 'max-age=60, no-store' }, 2],
    ['not where it must be validated', 404, { 'Cache-Control': 'max-age=60, no-cache' }, 2],
    [
      'not where its status must be understood, and is not',
      599,
      { 'Cache-Control': 'max-age=60, must-understand' },
      2,
    ],
    ['not where it varies by a cookie', 404, { ...FOR_A_MINUTE, Vary: 'Cookie' }, 2],
  ])('%s', async (_, status, headers, requests) => {
    expect(await asked(refusing(status, headers))).toBe(requests);
  });

  test.each<[string, Wish]>([
    ['a reload', { policy: { revalidate: true } }],
    ['another policy', { policy: { cache: 'network-first' } }],
    ['other headers', { headers: [['X-Key', 'a']] }],
    ['other credentials', { policy: { credentials: 'include' } }],
    ['a request that says so', { headers: [['Cache-Control', 'no-cache']] }],
  ])('is asked for again by %s', async (_, wish) => {
    expect(await asked(refusing(404), wish)).toBe(2);
  });

  test('is asked for again after a write to its URL, a clearing, another answer and in another life', async () => {
    const written = refusing(404);
    expect(
      await asked(written, {}, () => {
        written.system.serve = () => json(null);
        return call(written, 'default', { method: 'PUT' });
      }),
    ).toBe(3);
    const cleared = refusing(404);
    expect(await asked(cleared, {}, () => cleared.cache.clear())).toBe(2);
    const ticked = refusing(404);
    await asked(ticked, {}, () => {
      ticked.system.serve = () => json(null);
      return ticked.invoke();
    });
    expect(ticked.system.requests).toHaveLength(3);
    const reborn = refusing(404);
    await call(reborn);
    await call(reborn.reborn());
    expect(reborn.system.requests).toHaveLength(2);
  });

  test('is asked for again after a write that makes it stale', async () => {
    const stage = refusing(404);
    const requests = await asked(stage, {}, () => {
      stage.system.serve = () => json(null);
      const policy = { invalidates: ['/ph{id}'] };
      return call(stage, 'default', { method: 'POST', template: '/new', policy });
    });
    expect(requests).toBe(3);
  });

  test('is no refusal of a captive portal, nor of where a redirect leads', async () => {
    const portal = new EngineStage(
      () =>
        new Response('<p>pay</p>', {
          status: 404,
          headers: { ...FOR_A_MINUTE, 'Content-Type': 'text/html' },
        }),
    );
    expect(await asked(portal)).toBe(2);
    const redirected = new EngineStage(() =>
      Object.defineProperty(json(null, FOR_A_MINUTE, 404), 'url', { value: 'https://page.example/other' }),
    );
    expect(await asked(redirected)).toBe(2);
  });

  test.each([
    ['another refusal', () => json(2, {}, 410)],
    ['one that is never kept', () => json(2, {}, 401)],
    ['one that must not be stored', () => json(2, { 'Cache-Control': 'no-store' }, 404)],
    [
      'an answer that cannot be read',
      () => new Response('{', { headers: { 'Content-Type': 'application/json' } }),
    ],
  ])('is told no more after %s', async (_, next) => {
    const stage = refusing(404);
    await call(stage);
    stage.system.serve = next;
    const reloaded = await call(stage, 'default', { policy: { revalidate: true } });
    expect(reloaded.answer?.body).not.toMatchObject({ value: 1 });
    expect((await call(stage)).answer).toEqual(reloaded.answer);
  });

  test('is not kept where a write has ended since it was asked for', async () => {
    const stage = new EngineStage();
    const open: ((response: Response) => void)[] = [];
    stage.system.serve = () => new Promise((resolve) => open.push(resolve));
    const read = call(stage, 'default', { policy: { timeout: 1_000 } });
    await until(() => open.length === 1);
    const put = call(stage, 'default', { method: 'PUT' });
    await until(() => open.length === 2);
    open[1]?.(json(null));
    await put;
    open[0]?.(json(null, FOR_A_MINUTE, 404));
    await read;
    stage.system.serve = () => json('good');
    expect(gist(await call(stage))).toBe('good');
  });

  test('is told with all its bytes each time', async () => {
    const stage = new EngineStage(
      () => new Response('abc', { status: 404, headers: { ...FOR_A_MINUTE, 'Content-Type': 'image/png' } }),
    );
    for (let each = 0; each < 3; each += 1) {
      const { answer } = await call(stage);
      if (answer?.body.kind !== 'bytes') throw new Error('no bytes');
      expect(answer.body.bytes.byteLength).toBe(3);
      // As when it is told.
      structuredClone(answer.body.bytes, { transfer: [answer.body.bytes] });
    }
    expect(stage.system.requests).toHaveLength(1);
  });

  test('does not take the place of a good answer that may stand for it', async () => {
    const stage = new EngineStage(() => json('good', { 'Cache-Control': 'max-age=1, stale-if-error=600' }));
    await call(stage);
    await seconds(stage, 2);
    stage.system.serve = () => json(null, FOR_A_MINUTE, 503);
    for (let each = 0; each < 2; each += 1)
      expect(await call(stage)).toMatchObject({ kind: 'answered', stale: true });
    expect(stage.system.requests).toHaveLength(2);
  });
});
