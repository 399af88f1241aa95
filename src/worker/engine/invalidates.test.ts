import { describe, expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { gist } from './engine.fixture.ts';
import type { EngineStage } from './engine.fixture.ts';
import { call, counting } from './freshness.fixture.ts';

const POST: Wish = {
  method: 'POST',
  template: '/item',
  policy: { invalidates: ['/photos{?page}', '/photo/{id}'] },
};

/** The number of the request that answers this URL by now. */
async function newest(stage: EngineStage, template: string): Promise<unknown> {
  return gist(await call(stage, 'default', { template }));
}

async function having(...templates: readonly string[]): Promise<EngineStage> {
  const stage = counting();
  for (const template of templates) await newest(stage, template);
  return stage;
}

describe('a success', () => {
  test('makes what it invalidates stale, with any parameters, and nothing else', async () => {
    const stage = await having('/photos', '/photos?page=2', '/photo/1', '/other');
    await call(stage, 'default', POST);
    const fresh = await Promise.all(
      ['/photos', '/photos?page=2', '/photo/1', '/other'].map((each) => newest(stage, each)),
    );
    expect(fresh.map((answer) => Number(String(answer)) > 4)).toEqual([true, true, true, false]);
  });

  test('does so for the next life of the worker', async () => {
    const stage = await having('/photo/1');
    await call(stage, 'default', POST);
    await stage.cache.settled();
    expect(await newest(stage.reborn(), '/photo/1')).toEqual([3]);
  });

  test('has who follows it ask again, once', async () => {
    const stage = await having();
    await call(stage, 'default', POST);
    expect(stage.invalidated).toHaveLength(1);
    const urls = ['/photos?page=1', '/photo/1', '/other'].map((path) => `https://page.example${path}`);
    expect(urls.map((url) => stage.invalidated[0]?.(url))).toEqual([true, true, false]);
  });

  test('has a read under way ask again, since it may not show it', async () => {
    const stage = await having();
    const { serve } = stage.system;
    const held = new Deferred();
    stage.system.serve = async (seen) => {
      const response = serve(seen);
      if (seen.url.endsWith('/photo/1')) await held.promise;
      return response;
    };
    const reading = newest(stage, '/photo/1');
    await until(() => stage.system.requests.length === 1);
    await call(stage, 'default', POST);
    held.resolve();
    expect(await reading).toEqual([3]);
  });
});

test('a failure invalidates nothing, nor does a read', async () => {
  const stage = await having('/photo/1');
  const { serve } = stage.system;
  stage.system.serve = () => json(null, {}, 422);
  await call(stage, 'default', POST);
  stage.system.serve = serve;
  await call(stage, 'default', { template: '/item', policy: POST.policy ?? {} });
  expect([await newest(stage, '/photo/1'), stage.invalidated]).toEqual([[1], []]);
});
