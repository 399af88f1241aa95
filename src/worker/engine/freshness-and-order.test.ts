import { describe, expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE, seconds } from './freshness.fixture.ts';

/** Lets a 304 be noted, which a tick does not wait for. */
async function rest(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await settle();
}

describe('fresh', () => {
  test('an unchanged answer that was just got again is fresh again', async () => {
    const stage = new EngineStage(() => json(['same'], { 'Cache-Control': 'max-age=5' }));
    await call(stage);
    await seconds(stage, 6);
    await call(stage);
    expect(stage.system.requests).toHaveLength(2);
    expect(await call(stage)).toMatchObject({ servedFrom: 'cache', age: 0 });
  });

  test('a 304 without a Date makes it fresh again', async () => {
    const stage: EngineStage = new EngineStage(() => {
      const made = new Date(stage.system.clock.now()).toUTCString();
      return json(['a'], { ...FOR_A_MINUTE, Date: made });
    });
    await seconds(stage, 1_800_000_000);
    await call(stage);
    await seconds(stage, 100);
    stage.system.serve = () => new Response(null, { status: 304, headers: FOR_A_MINUTE });
    await stage.invoke();
    await rest();
    const { length } = stage.system.requests;
    await call(stage);
    expect(stage.system.requests).toHaveLength(length);
  });

  test('what is older than an answer that was told is not served after it: network-only', async () => {
    const stage = counting();
    expect(gist(await call(stage))).toEqual([1]);
    expect(gist(await call(stage, 'network-only'))).toEqual([2]);
    expect(gist(await call(stage))).not.toEqual([1]);
  });

  test.each([404, 410])('%i to a cursor removes nothing of the URL without it', async (status) => {
    const stage = counting();
    await call(stage);
    stage.system.serve = () => json(null, {}, status);
    await stage.tick({ addition: { query: [['since', '5']], headers: [] } });
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
  });

  test('a poll by POST does not outdate what a GET brought', async () => {
    const stage = counting();
    await call(stage);
    await stage.invoke({ method: 'POST' });
    expect(gist(await call(stage))).toEqual([1]);
  });

  test('a poll with Cache-Control of its own is ordered among the calls too', async () => {
    const open: ((response: Response) => void)[] = [];
    const stage = new EngineStage(() => new Promise((resolve) => open.push(resolve)));
    const headers: Wish['headers'] = [
      ['Accept', 'application/json, */*;q=0.5'],
      ['Cache-Control', 'no-cache'],
    ];
    const tick = stage.invoke({ headers });
    await until(() => open.length === 1);
    const second = call(stage);
    await until(() => open.length === 2);
    open[1]?.(json(['new'], FOR_A_MINUTE));
    expect(gist(await second)).toEqual(['new']);
    open[0]?.(json(['old'], FOR_A_MINUTE));
    expect(gist(await tick)).toEqual(['new']);
  });
});
