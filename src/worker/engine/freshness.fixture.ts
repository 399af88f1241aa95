import type { CachePolicy } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import { json } from '../platform/system.fixture.ts';
import { EngineStage } from './engine.fixture.ts';

export const FOR_A_MINUTE = { 'Cache-Control': 'max-age=60', ETag: '"1"' };

/** A server whose answers count its requests. */
export function counting(headers: Readonly<Record<string, string>> = FOR_A_MINUTE): EngineStage {
  const stage = new EngineStage(() => json([stage.system.requests.length], headers));
  return stage;
}

/** A page's call, which takes what is fresh. */
export async function call(
  stage: EngineStage,
  cache: CachePolicy = 'default',
  wish: Wish = {},
): Promise<Outcome> {
  return parsed(await stage.call({ ...wish, policy: { revalidate: false, cache, ...wish.policy } }));
}

export async function seconds(stage: EngineStage, count: number): Promise<void> {
  await stage.system.clock.advance(count * 1_000);
}
