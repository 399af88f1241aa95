import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Delivered, Delivery } from '../../shared/protocol.ts';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';
import type { HeardCall } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

function at(n: number, delivery: Delivery, sequence = 'life 1'): Delivered {
  return { ...delivery, place: { sequence, n } };
}

function tick(value: string): Delivery {
  return { kind: 'tick', loop: 1, outcome: answered(value), nextIn: 5_000 };
}

function settled(id: number): Delivery {
  return { kind: 'settled', id, outcome: answered(id) };
}

describe('what the worker delivers', () => {
  test('is taken once, however often it comes', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, tick('a')), at(2, tick('b')));
    await life.deliver(at(1, tick('a')), at(2, tick('b')), at(3, tick('c')));
    expect(loop.gists).toEqual(['a', 'b', 'c']);
    expect(life.greetings).toBe(1);
  });

  test('is taken once also where it comes again on a fresh line', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, tick('a')));
    stage.session.show();
    await flush();
    await life.deliver(at(1, tick('a')), at(2, tick('b')));
    expect(loop.gists).toEqual(['a', 'b']);
    expect(life.resyncs).toEqual([false, false]);
  });

  test('is counted anew for the next life', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    await stage.host.life.deliver(at(1, tick('a')), at(2, tick('b')));
    const life = await stage.host.kill();
    await life.deliver(at(1, tick('c'), 'life 2'));
    expect(loop.gists).toEqual(['a', 'b', 'c']);
    expect(life.resyncs).toEqual([false]);
  });

  test('is all taken where it has no place: the worker speaks protocol 1', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(tick('a'), tick('a'));
    await life.deliver(tick('a'));
    expect(loop.gists).toEqual(['a', 'a', 'a']);
    expect(life.greetings).toBe(1);
  });
});

describe('where something has not arrived', () => {
  test('what came after it is taken, and the worker is greeted afresh and told so, once', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, tick('a')));
    void life.deliver(at(3, tick('c')), at(4, tick('d')));
    await flush();
    expect(loop.gists).toEqual(['a', 'c', 'd']);
    expect(life.resyncs).toEqual([false, true]);
    expect(life.told('declare')).toHaveLength(2);
    stage.session.show();
    await flush();
    expect(life.resyncs).toEqual([false, true, false]);
  });

  test('the worker is told so until it has answered', async () => {
    const stage = new SessionStage();
    await stage.declare();
    const { life } = stage.host;
    life.mute = true;
    void life.deliver(at(2, tick('b')));
    await flush();
    life.mute = false;
    await pass(3_000);
    expect(life.resyncs).toEqual([false, true, true]);
    stage.session.show();
    await flush();
    expect(life.resyncs.at(-1)).toBe(false);
  });

  test.each(['GET', 'PUT', 'DELETE'])('a %s whose answer was lost is asked again', async (method) => {
    const { stage, heard } = await lost(method);
    const { life } = stage.host;
    expect(heard.ends).toEqual([]);
    expect(life.batches).toEqual([[1, 2], [1]]);
    void life.deliver(at(3, settled(1)));
    await flush();
    expect(heard.ends).toEqual([1]);
    await pass(60_000);
    expect(heard.ends).toEqual([1]);
  });

  test.each(['POST', 'PATCH'])('a %s whose answer was lost may have been applied', async (method) => {
    const { stage, heard } = await lost(method);
    expect(heard.ends).toEqual(['worker-lost']);
    expect(stage.host.life.batches).toEqual([[1, 2]]);
  });

  test('a POST that is not answered yet goes on', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method: 'POST' });
    const { life } = stage.host;
    void life.deliver(at(2, { kind: 'ticking', loop: 9 }));
    await flush();
    expect(life.resyncs).toEqual([false, true]);
    await life.deliver(at(3, settled(1)));
    expect(heard.ends).toEqual([1]);
    expect(life.batches).toEqual([[1]]);
  });
});

/** The answer to the first of two calls has not arrived, that to the second has. */
async function lost(method: string): Promise<{ readonly stage: SessionStage; readonly heard: HeardCall }> {
  const stage = new SessionStage();
  await stage.session.ready();
  const [heard, other] = await Promise.all([stage.call(1, { method }), stage.call(2)]);
  stage.host.life.answerInVain(1);
  void stage.host.life.deliver(at(2, settled(2)));
  await flush();
  expect(other.ends).toEqual([2]);
  return { stage, heard };
}
