import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Addressee, Delivered, Delivery } from '../../shared/delivery.ts';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';
import type { HeardCall } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

function at(number: number, delivery: Delivery, sequence = 'life 1'): Delivered {
  return { ...delivery, place: { sequence, number } };
}

function tick(value: string): Delivery {
  return { kind: 'tick', loop: 1, outcome: answered(value), nextIn: 5_000 };
}

function settled(id: number): Delivery {
  return { kind: 'settled', id, outcome: answered(id) };
}

function opened(madeAt: number, name = 'one'): Delivery {
  return { kind: 'opened', name, madeAt };
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

  test('is taken once also where it comes again on a fresh transport', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, tick('a')));
    stage.session.presence.show();
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
    stage.session.presence.show();
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
    stage.session.presence.show();
    await flush();
    expect(life.resyncs.at(-1)).toBe(false);
  });

  test('while the worker is greeted, it is greeted once more and told so', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, tick('a')));
    stage.session.presence.show();
    void life.deliver(at(3, tick('c')));
    await flush();
    expect(loop.gists).toEqual(['a', 'c']);
    expect(life.resyncs).toEqual([false, false, true]);
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

function chunk(index: number, to: Addressee = { loop: 1 }): Delivery {
  return { kind: 'chunk', to, index, path: [], text: `[${index}]` };
}

describe('a list that comes in chunks', () => {
  const body = { kind: 'chunked', path: ['rows'], envelope: '{"rows":null}', chunks: 2 } as const;
  const { answer, ...rest } = answered(null, { revision: { lineage: 'a', number: 1 } });
  const outcome = { ...rest, answer: { ...answer, body } };
  const ticked: Delivery = { kind: 'tick', loop: 1, outcome, nextIn: 5_000 };

  test('is told with the last, to the loop or call that it is for', async () => {
    const stage = new SessionStage();
    const [loop, heard] = [await stage.declare(), await stage.call(1)];
    const { life } = stage.host;
    await life.deliver(at(1, chunk(0)));
    await life.deliver(at(2, chunk(1)), at(3, chunk(0, { id: 1 })), at(4, chunk(1, { id: 1 })));
    expect([loop.gists, heard.ends]).toEqual([[], []]);
    await life.deliver(at(5, ticked), at(6, { kind: 'settled', id: 1, outcome }));
    expect([loop.gists, heard.ends]).toEqual([[{ rows: [0, 1] }], [{ rows: [0, 1] }]]);
    expect(life.resyncs).toEqual([false]);
  });

  test('goes on after the page was away, where the worker lives', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    await stage.host.life.deliver(at(1, chunk(0)));
    stage.session.presence.show();
    await flush();
    await stage.host.life.deliver(at(1, chunk(0)), at(2, chunk(1)), at(3, ticked));
    expect(loop.gists).toEqual([{ rows: [0, 1] }]);
  });

  test('is asked for where a chunk has not arrived', async () => {
    const stage = new SessionStage();
    const loop = await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, chunk(0)), at(2, ticked));
    expect(loop.gists).toEqual([]);
    expect(life.told('declare')).toHaveLength(2);
    expect(life.told('declare')[1]?.declaration.again).toBeUndefined();
  });

  test('is nothing that two lives of a worker could make together', async () => {
    const stage = new SessionStage();
    const [loop, heard] = [await stage.declare(), await stage.call(1)];
    const to = { id: 1 };
    await stage.host.life.deliver(at(1, chunk(0)), at(2, chunk(0, to)));
    const life = await stage.host.kill();
    const left = [chunk(1), ticked, chunk(1, to), { kind: 'settled', id: 1, outcome } as const];
    void life.deliver(...left.map((delivery, index) => at(index + 2, delivery, 'life 2')));
    await flush();
    expect([loop.gists, heard.ends]).toEqual([[], []]);
    expect(life.resyncs).toEqual([false, true]);
  });

  test.each(['GET', 'POST'])('is missed by a %s where a chunk has not arrived', async (method) => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method });
    const { life } = stage.host;
    life.answerInVain(1);
    void life.deliver(at(1, chunk(1, { id: 1 })), at(2, { kind: 'settled', id: 1, outcome }));
    await flush();
    expect(life.resyncs).toEqual([false, true]);
    expect(heard.ends).toEqual(method === 'GET' ? [] : ['worker-lost']);
    expect(life.batches).toEqual(method === 'GET' ? [[1], [1]] : [[1]]);
  });

  test('is of no interest where its call or loop is gone', async () => {
    const stage = new SessionStage();
    const [loop, heard] = [await stage.declare(), await stage.call(1)];
    stage.session.stop(1);
    stage.session.abort([1]);
    const { life } = stage.host;
    await life.deliver(at(1, chunk(0)), at(2, ticked), at(3, chunk(0, { id: 1 })));
    await life.deliver(at(4, { kind: 'settled', id: 1, outcome }));
    await flush();
    expect([loop.gists, heard.ends]).toEqual([[], ['aborted']]);
    expect(life.resyncs).toEqual([false]);
  });
});

/** The answer to the first of two calls has not arrived, that to the second has. */
async function lost(method: string): Promise<{ readonly stage: SessionStage; readonly heard: HeardCall }> {
  const stage = new SessionStage();
  await stage.session.ready();
  const [heard, other] = await Promise.all([
    stage.call(1, { method }),
    stage.call(2, { template: '/other' }),
  ]);
  stage.host.life.answerInVain(1);
  void stage.host.life.deliver(at(2, settled(2)));
  await flush();
  expect(other.ends).toEqual([2]);
  return { stage, heard };
}

describe('what was stored', () => {
  const LOST = [['indexeddb', 'What was stored has been deleted']];

  test('is lost where its database was made anew', async () => {
    const stage = new SessionStage();
    await stage.declare();
    const { life } = stage.host;
    await life.deliver(at(1, opened(1)), at(2, opened(1)));
    expect(stage.storage).toEqual([]);
    await life.deliver(at(3, opened(2)), at(4, opened(2)));
    expect(stage.storage).toEqual(LOST);
  });

  test('is lost also where it was deleted while no worker was there', async () => {
    const stage = new SessionStage();
    await stage.declare();
    await stage.host.life.deliver(at(1, opened(1)));
    const life = await stage.host.kill();
    await life.deliver(at(1, opened(2), 'life 2'));
    expect(stage.storage).toEqual(LOST);
  });

  test('is not lost where another database is used', async () => {
    const stage = new SessionStage();
    await stage.declare();
    await stage.host.life.deliver(at(1, opened(1)), at(2, opened(2, 'other')));
    expect(stage.storage).toEqual([]);
  });
});
