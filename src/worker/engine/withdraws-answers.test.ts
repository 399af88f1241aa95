import { describe, expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';

const OTHER = { headers: [['X-Lang', 'de']] } as const;

/** Two answers of one URL are stored; then the server answers with the status, once. */
async function after(status: number, method: string): Promise<EngineStage> {
  const stage = new EngineStage(() => json([1]));
  await stage.invoke();
  await stage.invoke(OTHER);
  stage.system.serve = () => json(null, {}, status);
  await stage.call({ method });
  stage.system.serve = unreachable;
  return stage;
}

describe('what is stored is not served any more', () => {
  test.each([
    [401, 'GET'],
    [403, 'GET'],
    [404, 'GET'],
    [410, 'GET'],
    [404, 'HEAD'],
    [200, 'DELETE'],
    [404, 'DELETE'],
    [410, 'PUT'],
  ])('after %i to %s', async (status, method) => {
    const stage = await after(status, method);
    expect(gist(await stage.invoke())).toBe('network');
    expect(gist(await stage.invoke(OTHER))).toBe('network');
    expect(await stage.newest()).toBeNull();
    await stage.cache.settled();
    expect(await stage.entries).toBe(0);
  });

  test('nor by the next life of the worker', async () => {
    const stage = await after(403, 'GET');
    await stage.cache.settled();
    expect(gist(await stage.reborn().invoke())).toBe('network');
  });
});

describe('what is stored stays', () => {
  test.each([
    [400, 'GET'],
    [429, 'GET'],
    [500, 'GET'],
    [401, 'PUT'],
    [403, 'POST'],
    [200, 'PUT'],
  ])('after %i to %s', async (status, method) => {
    const stage = await after(status, method);
    expect(gist(await stage.invoke())).toEqual([1]);
    expect(gist(await stage.invoke(OTHER))).toEqual([1]);
  });

  test('where it was asked for after the answer that withdrew it', async () => {
    const stage = await after(404, 'GET');
    stage.system.serve = () => json([2]);
    expect(gist(await stage.invoke())).toEqual([2]);
    await stage.cache.settled();
    stage.system.serve = unreachable;
    expect(gist(await stage.invoke())).toEqual([2]);
  });
});
