import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call } from './freshness.fixture.ts';

/** Tells what it was asked to accept. */
function telling(): EngineStage {
  return new EngineStage(({ headers }) =>
    json([headers.get('accept')], { 'Cache-Control': 'max-age=60', Vary: 'Accept' }),
  );
}

test('a hook that removes Accept gets no answer to the default one', async () => {
  const stage = telling();
  await call(stage);
  stage.hook = (request) => request.removeRequestHeader('Accept');
  expect(gist(await call(stage))).toEqual(['*/*']);
});
