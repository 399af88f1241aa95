import { describe, expect, test } from 'vitest';
import { EngineStage, gist } from './engine/engine.fixture.ts';
import { call } from './engine/freshness.fixture.ts';
import { from } from './exchange/order.fixture.ts';
import { json, unreachable } from './platform/system.fixture.ts';
import type { Seen } from './platform/system.fixture.ts';

const CDN = 'https://cdn.example';
const ALLOWED = { policy: { origins: [CDN] } };
const VALIDATORS = { ETag: '"1"', 'Last-Modified': 'Sun, 22 Nov 2026 00:00:00 GMT' };

/** Fetch standard, "CORS-safelisted request-header": any other causes a preflight after a redirect to another origin. */
const SAFE = ['accept', 'accept-language', 'content-language'];

/** A server that redirects to another origin, which allows all origins to read but answers no preflight. */
function redirecting({ headers, init, at }: Seen): Response {
  if (init.mode !== 'cors' || init.redirect !== 'follow') throw new TypeError('The redirect is not followed');
  for (const name of headers.keys())
    if (!SAFE.includes(name)) throw new TypeError(`A preflight for ${name} is refused`);
  const response = json(at, VALIDATORS);
  Object.defineProperty(response, 'url', { value: `${CDN}/photo` });
  return response;
}

function direct({ at }: Seen): Response {
  return json(at, VALIDATORS);
}

test('an answer that an allowed redirect leads to can be had each time, in every life of the worker', async () => {
  const stage = new EngineStage(redirecting);
  const { clock } = stage.system;
  expect(gist(await stage.invoke(ALLOWED))).toBe(clock.now());
  await clock.advance(1_000);
  expect(await stage.invoke(ALLOWED)).toMatchObject({ servedFrom: 'network', changed: true });
  await stage.cache.settled();
  await clock.advance(1_000);
  expect(await stage.reborn().invoke(ALLOWED)).toMatchObject({ servedFrom: 'network', changed: true });
});

test('what validates the answer of another origin is told to nobody', async () => {
  const stage = new EngineStage(redirecting);
  await stage.invoke(ALLOWED);
  stage.system.serve = direct;
  await stage.invoke(ALLOWED);
  expect(stage.sent(1, 'if-none-match')).toBeNull();
  await stage.invoke(ALLOWED);
  expect(stage.sent(2, 'if-none-match')).toBe('"1"');
});

test('the same bytes may come from another origin than before', async () => {
  const stage = new EngineStage(() => json([1], VALIDATORS));
  await stage.invoke(ALLOWED);
  stage.system.serve = () => {
    const response = json([1], VALIDATORS);
    Object.defineProperty(response, 'url', { value: `${CDN}/photo` });
    return response;
  };
  await stage.invoke(ALLOWED);
  await stage.cache.settled();
  await stage.reborn().invoke(ALLOWED);
  expect(stage.sent(2, 'if-none-match')).toBeNull();
});

test('a server that begins to redirect is asked without validators once they have been in the way', async () => {
  const stage = new EngineStage(direct);
  await stage.invoke(ALLOWED);
  stage.system.serve = redirecting;
  expect(await stage.invoke(ALLOWED)).toMatchObject({ stale: true });
  expect(await stage.invoke(ALLOWED)).toMatchObject({ servedFrom: 'network', stale: false });
});

test('where no redirect may lead elsewhere, what is stored is validated after a failure, too', async () => {
  const stage = new EngineStage(direct);
  await stage.invoke();
  stage.system.serve = () => {
    throw new TypeError('The server is gone');
  };
  await stage.invoke();
  stage.system.serve = direct;
  await stage.invoke();
  expect(stage.sent(-1, 'if-none-match')).toBe('"1"');
});

const PAGE = 'https://page.example';

/** What lies under one URL of the page's own origin: fetch carries the conditions of a request along with a redirect. */
interface Target {
  readonly path: string;
  readonly modified: string;
  readonly etag?: string;
}

const [MONDAY, TUESDAY] = ['Mon, 09 Nov 2026 08:00:00 GMT', 'Tue, 10 Nov 2026 08:00:00 GMT'];

/** RFC 9110 section 13.2.2: a date counts where no tag is compared. */
function answer({ path, modified, etag }: Target, { headers }: Seen): Response {
  const [tag, since] = [headers.get('if-none-match'), headers.get('if-modified-since')];
  const isKnown =
    etag !== undefined && tag !== null
      ? tag === etag
      : since !== null && Date.parse(modified) <= Date.parse(since);
  const said = { 'Last-Modified': modified, ...(etag !== undefined && { ETag: etag }) };
  return from(PAGE + path, isKnown ? new Response(null, { status: 304, headers: said }) : json(path, said));
}

test.each<[string, Target, Target]>([
  ['whose date is older', { path: '/7', modified: TUESDAY }, { path: '/8', modified: MONDAY }],
  [
    'whose version has the same number',
    { path: '/7', modified: MONDAY, etag: '"1"' },
    { path: '/8', modified: TUESDAY, etag: '"1"' },
  ],
  ['that redirects no more', { path: '/7', modified: TUESDAY }, { path: '/photo', modified: MONDAY }],
  ['that begins to redirect', { path: '/photo', modified: TUESDAY }, { path: '/8', modified: MONDAY }],
])(
  'a URL that leads to another one than before, %s, is told as what lies there',
  async (_what, before, now) => {
    let target = before;
    const stage = new EngineStage((seen) => answer(target, seen));
    expect(gist(await stage.invoke())).toBe(before.path);
    await stage.cache.settled();
    target = now;
    const next = stage.reborn();
    expect(gist(await next.invoke())).toBe(now.path);
    expect(next.system.requests.map(({ headers }) => headers.has('if-modified-since'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(await next.invoke()).toMatchObject({ confirmed: true });
  },
);

test('the same bytes may be led to by another redirect than before', async () => {
  let path = '/7';
  const stage = new EngineStage(({ headers }) => {
    const isKnown = headers.has('if-modified-since');
    const response = isKnown
      ? new Response(null, { status: 304 })
      : json('same', { 'Last-Modified': MONDAY });
    return from(PAGE + path, response);
  });
  await stage.invoke();
  path = '/8';
  expect(gist(await stage.invoke())).toBe('same');
  expect(await stage.invoke()).toMatchObject({ confirmed: true });
  expect(stage.system.requests).toHaveLength(4);
});

describe('without a request', () => {
  const FRESH = { 'Cache-Control': 'max-age=31536000, immutable' };

  /** A redirect to `to`, whose answers count the requests. */
  function leadingTo(to: string, headers: Readonly<Record<string, string>> = FRESH): EngineStage {
    const stage = new EngineStage(() => {
      const response = json([stage.system.requests.length], headers);
      Object.defineProperty(response, 'url', { value: to });
      return response;
    });
    return stage;
  }

  const HERE = 'https://page.example/v1';

  test('the lifetime that a target gives itself is not that of the URL which redirects', async () => {
    const stage = leadingTo(HERE);
    await call(stage);
    expect(gist(await call(stage))).toEqual([2]);
    stage.system.serve = unreachable;
    expect(await call(stage)).toMatchObject({ servedFrom: 'cache', stale: true });
  });

  test('the lifetime that the app gives the URL is', async () => {
    const stage = leadingTo(HERE, {});
    await call(stage, { maxAge: 60 });
    expect(gist(await call(stage, { maxAge: 60 }))).toEqual([1]);
  });

  test('an answer of another origin is served to no page that does not allow it', async () => {
    const stage = leadingTo(`${CDN}/photo`);
    expect(gist(await call(stage, 'default', ALLOWED))).toEqual([1]);
    expect(gist(await call(stage, 'cache-only'))).toBe('offline');
    expect(gist(await call(stage, 'cache-first'))).toBe('blocked-url');
    expect(gist(await call(stage, 'cache-only', ALLOWED))).toEqual([1]);
  });
});
