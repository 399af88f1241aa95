import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { EngineStage } from './engine.fixture.ts';

const SECRET = { policy: { revalidate: true, secretHeaders: ['X-Token'] } };

test('a secret header of a 304 is not stored', async () => {
  const stage = new EngineStage(() => json(['one'], { ETag: '"1"', 'X-Token': 'hush' }));
  await stage.tick({}, SECRET);
  await stage.cache.settled();
  await stage.system.clock.advance(20_000);
  stage.system.serve = () => new Response(null, { status: 304, headers: { ETag: '"1"', 'X-Token': 'hush' } });
  await stage.tick({}, SECRET);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await stage.cache.settled();
  const newest = await stage.reborn().newest(SECRET);
  expect(newest?.answer.headers.map(([name]) => name.toLowerCase())).not.toContain('x-token');
});
