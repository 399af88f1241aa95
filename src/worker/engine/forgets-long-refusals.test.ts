import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { json } from '../platform/system.fixture.ts';
import { EngineStage } from './engine.fixture.ts';
import { call } from './freshness.fixture.ts';

test('refusals with long headers take no more memory than others', async () => {
  const headers = { 'Cache-Control': 'max-age=60', 'X-Long': 'x'.repeat(20_000) };
  const stage = new EngineStage(() => json('gone', headers, 404));
  const count = Math.ceil(LIMITS.refusals / 20_000);
  for (let nth = 0; nth <= count; nth += 1) await call(stage, 'default', { template: `/photo/${nth}` });
  await call(stage, 'default', { template: `/photo/${count}` });
  expect(stage.system.requests).toHaveLength(count + 1);
  await call(stage, 'default', { template: '/photo/0' });
  expect(stage.system.requests).toHaveLength(count + 2);
});
