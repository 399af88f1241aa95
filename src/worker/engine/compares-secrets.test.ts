import { expect, test } from 'vitest';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting } from './freshness.fixture.ts';

test('secrets are compared as they are: spaces and commas count', async () => {
  const stage: EngineStage = counting();
  const policy = { secretHeaders: ['X-Key'] };
  const keys = ['a,b', 'a, b', 'a,b,', 'a,,b'];
  const told = [];
  for (const key of keys)
    told.push(gist(await call(stage, 'default', { policy, headers: [['X-Key', key]] })));
  expect(told).toEqual([[1], [2], [3], [4]]);
});
