import { expect, test } from 'vitest';
import { EngineStage, gist } from './engine.fixture.ts';
import { json } from './system.fixture.ts';
import type { Seen } from './system.fixture.ts';

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
