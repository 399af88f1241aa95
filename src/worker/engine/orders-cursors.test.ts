import { describe, expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { stateOf } from '../platform/virtual-clock.fixture.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import { parsed } from '../contracts/read-body.ts';
import { EngineStage, gist } from './engine.fixture.ts';

const REVALIDATES = { policy: { revalidate: true, origins: ['https://cdn.example'] } };

/** The state is stored; then one request fails on the network. */
async function afterFailure(): Promise<EngineStage> {
  const stage = new EngineStage(() => json(['state'], { ETag: '"1"' }));
  await stage.tick({}, REVALIDATES);
  stage.system.serve = unreachable;
  await stage.tick({}, REVALIDATES);
  await stage.cache.settled();
  stage.system.serve = ({ headers }) =>
    headers.get('if-none-match') === '"1"'
      ? new Response(null, { status: 304 })
      : json(['state'], { ETag: '"1"' });
  return stage;
}

describe('a state that is followed by its ETag, in an app that names origins', () => {
  const addition = { ...NO_ADDITION, headers: [['If-None-Match', '"1"']] as const };

  test('is still stored after its server has said that it is unchanged', async () => {
    const stage = await afterFailure();
    await stage.tick({ addition, held: true }, REVALIDATES);
    await stage.cache.settled();
    const newest = await stage.newest(REVALIDATES);
    expect(newest && gist(parsed(newest))).toEqual(['state']);
  });

  test('is what a poll tells of the 304', async () => {
    const stage = await afterFailure();
    const outcome = parsed(await stage.tick({ addition }, REVALIDATES));
    expect(gist(outcome)).toEqual(['state']);
  });
});

/** A poll of what comes after a place takes 1.5 s; the plain state takes no time. */
function slowSince(stage: () => EngineStage): (seen: Seen) => Promise<Response> {
  return async ({ url }) => {
    if (!url.includes('since')) return json(['state']);
    await stage().system.clock.sleep(1_500);
    return json(['news']);
  };
}

/** A poll of a feed, whose answers nobody stores, and which tells a place that the plain URL does not. */
async function polled(seconds: number): Promise<{ stage: EngineStage; tick: Promise<unknown> }> {
  const stage: EngineStage = new EngineStage((seen) => slowSince(() => stage)(seen));
  const addition = { ...NO_ADDITION, query: [['since', '5']] as const };
  const tick = stage.tick({ addition, reading: { kind: 'parsed' } }, { policy: { cache: 'network-only' } });
  await until(() => stage.system.requests.length === 1);
  for (let second = 0; second < seconds; second += 1) {
    await stage.system.clock.advance(500);
    await stage.call();
    await stage.system.clock.advance(500);
  }
  await stage.system.clock.advance(500);
  return { stage, tick: tick.then((outcome) => gist(parsed(outcome))) };
}

function since({ system: { requests } }: EngineStage): number {
  return requests.filter(({ url }) => url.includes('since')).length;
}

describe('a feed’s poll, of a place in its URL', () => {
  test('is not asked for again because a call of the plain URL was answered meanwhile', async () => {
    const { stage } = await polled(1);
    expect(since(stage)).toBe(1);
  });

  test('is answered within its time though pages call the plain URL each second', async () => {
    const { stage, tick } = await polled(28);
    expect([await stateOf(tick), since(stage)]).toEqual(['fulfilled', 1]);
  });
});
