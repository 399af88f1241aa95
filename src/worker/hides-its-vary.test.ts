import { expect, test } from 'vitest';
import { EngineStage, gist } from './engine/engine.fixture.ts';
import { call } from './engine/freshness.fixture.ts';
import { json, unreachable } from './platform/system.fixture.ts';

const CDN = 'https://cdn.example';
const ALLOWED = { policy: { origins: [CDN] } };
const CSV = { ...ALLOWED, headers: [['Accept', 'text/csv']] as const };

/** Redirects to another origin, which selects by Accept, says so by Vary, and lets nobody read that. */
function redirecting(): EngineStage {
  return new EngineStage(({ headers }) => {
    const response = json([headers.get('accept')]);
    Object.defineProperties(response, { url: { value: `${CDN}/photo` }, type: { value: 'cors' } });
    return response;
  });
}

test('where a redirect leads to an origin that hides its Vary, the answer is for requests with the same headers', async () => {
  const stage = redirecting();
  await call(stage, { maxAge: 60 }, ALLOWED);
  expect(gist(await call(stage, { maxAge: 60 }, CSV))).toEqual(['text/csv']);
  expect(gist(await call(stage, { maxAge: 60 }, CSV))).toEqual(['text/csv']);
  expect(stage.system.requests).toHaveLength(2);
});

test('nor does it stand for others while the network is gone', async () => {
  const stage = redirecting();
  await call(stage, 'default', ALLOWED);
  stage.system.serve = unreachable;
  expect(gist(await call(stage, 'default', CSV))).toBe('network');
});

test('an origin that hides its Vary may select by headers that the first request did not have', async () => {
  const stage = new EngineStage(({ headers }) =>
    json([headers.get('accept')], { 'Cache-Control': 'max-age=60' }),
  );
  const template = 'https://api.example/photo';
  await call(stage, 'default', { template });
  expect(gist(await call(stage, 'default', { template, headers: [['Accept', 'text/csv']] }))).toEqual([
    'text/csv',
  ]);
  expect(gist(await call(stage, 'default', { template }))).toEqual(['application/json, */*;q=0.5']);
});
