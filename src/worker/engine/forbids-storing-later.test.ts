import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call } from './freshness.fixture.ts';

test('what is stored goes once a 304 says that it must not be stored', async () => {
  const stage = new EngineStage(({ headers }) =>
    headers.has('if-none-match')
      ? new Response(null, { status: 304, headers: { ETag: '"1"', 'Cache-Control': 'no-store' } })
      : json([1], { ETag: '"1"' }),
  );
  await stage.invoke();
  expect(await stage.invoke()).toMatchObject({ confirmed: true });
  stage.system.serve = unreachable;
  expect(gist(await call(stage))).toBe('network');
});
