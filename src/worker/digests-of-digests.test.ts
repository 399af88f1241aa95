import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EngineStage, gist } from './engine/engine.fixture.ts';
import { call } from './engine/freshness.fixture.ts';
import { FakeSystem } from './platform/system.fixture.ts';
import { PART } from './platform/sha256.ts';

const LONG = 'x'.repeat(PART + 1);
const DIGESTS = [LONG.slice(0, PART), LONG.slice(PART)]
  .map((part) => createHash('sha256').update(part).digest('hex'))
  .join();

class InMemory extends FakeSystem {
  override readonly indexedDB = null;
}

test.each<[string, FakeSystem]>([
  ['in a database', new FakeSystem()],
  ['in memory', new InMemory()],
])('a text that equals the digests of another one is not that one, %s', async (_where, system) => {
  let text = LONG;
  const stage = new EngineStage(
    () => new Response(text, { headers: { 'Content-Type': 'text/plain' } }),
    system,
  );
  await stage.invoke();
  await stage.cache.settled();
  text = DIGESTS;
  expect(await stage.invoke()).toMatchObject({ changed: true });
  await stage.cache.settled();
  expect(gist(await call(stage, 'cache-only')) === DIGESTS).toBe(true);
});
