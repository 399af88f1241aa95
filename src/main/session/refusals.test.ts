import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, nextTask, SessionStage } from './stage.fixture.ts';

const NO: Failure = { code: 'protocol', message: 'submissions[1].id must be a whole number' };

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

async function live(): Promise<SessionStage> {
  const stage = new SessionStage();
  await stage.session.ready();
  return stage;
}

describe('what the worker does not let in', () => {
  test('fails with the reason that it gave, and the session goes on', async () => {
    const stage = await live();
    stage.host.life.judge = () => NO;
    const heard = await stage.call(1);
    expect(heard.outcomes).toEqual([{ kind: 'failed', failure: NO, answer: null, request: null }]);
    stage.host.life.judge = () => null;
    const next = await stage.call(2);
    await stage.host.life.settle(2, answered('hello'));
    expect(next.ends).toEqual(['hello']);
    expect(stage.states).toEqual(['connecting', 'greeting', 'live']);
  });

  test('takes along none of the calls of its turn', async () => {
    const stage = await live();
    stage.host.life.judge = ({ argumentList }) =>
      JSON.stringify(argumentList).includes('"id":2') ? NO : null;
    const [one, two, three] = await Promise.all([stage.call(1), stage.call(2), stage.call(3)]);
    expect(stage.host.life.batches).toEqual([[1], [3]]);
    expect([one?.ends, two?.ends, three?.ends]).toEqual([[], ['protocol'], []]);
  });

  test('ends a loop', async () => {
    const stage = await live();
    stage.host.life.judge = ({ path }) => (path[0] === 'control' ? NO : null);
    const loop = await stage.declare();
    expect(loop.ticks).toMatchObject([{ ended: true, outcome: { failure: NO } }]);
    stage.host.life.judge = () => null;
    const next = await stage.host.kill();
    await flush();
    expect(next.told('declare')).toEqual([]);
  });

  test('rejects what asked for an answer', async () => {
    const stage = await live();
    stage.host.life.judge = () => NO;
    await expect(stage.session.request({ kind: 'inspect' })).rejects.toMatchObject({
      name: 'RestError',
      failure: NO,
    });
  });

  test('may be the greeting: there is no worker then', async () => {
    const stage = new SessionStage();
    stage.host.life.judge = () => ({ code: 'not-connected', message: 'not served' });
    const heard = await stage.call(1);
    expect(heard.ends).toEqual(['not-connected']);
    expect(stage.states).toEqual(['connecting', 'greeting', 'unavailable']);
    const reason = stage.session.ready().catch((error: unknown) => error);
    await nextTask();
    expect(await reason).toMatchObject({ failure: { message: 'not served' } });
  });
});
