import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import { flush } from './host.fixture.ts';
import { answered, invocation } from './invocation.fixture.ts';
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
    stage.host.life.refuses = (id) => (id === 2 ? NO : null);
    const templates = ['/one', '/two', '/three'];
    const calls = templates.map((template, index) => stage.call(index + 1, { template }));
    const [one, two, three] = await Promise.all(calls);
    expect(stage.host.life.batches).toEqual([[1, 2, 3]]);
    expect([one?.ends, two?.ends, three?.ends]).toEqual([[], ['protocol'], []]);
  });

  test('has no call sent twice, and none that was aborted meanwhile', async () => {
    const stage = await live();
    stage.host.life.judge = ({ path }) => (path[0] === 'submit' ? NO : null);
    const [one, two] = [stage.call(1, { method: 'PUT' }), stage.call(2, { method: 'PUT' })];
    stage.session.abort([2]);
    stage.host.life.judge = () => null;
    await stage.call(3, { method: 'PUT' });
    await Promise.all([one, two]);
    expect(stage.host.life.batches.flat()).not.toContain(2);
    expect(new Set(stage.host.life.batches.flat()).size).toBe(stage.host.life.batches.flat().length);
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

  test('may be a loop of the greeting, or all together: each is then declared in a message of its own', async () => {
    const stage = new SessionStage();
    stage.host.life.judge = ({ path, argumentList }) => {
      const [argument] = argumentList;
      const isBad = JSON.stringify(argument?.value).includes('"loop":2');
      return isBad && (path[0] === 'control' || !JSON.stringify(argument?.value).includes('"later":[1'))
        ? NO
        : null;
    };
    const loops = [stage.declare(), stage.declare({ loop: 2 }), stage.declare({ loop: 3 })];
    const [one, two, three] = await Promise.all(loops);
    const { life } = stage.host;
    expect(life.greeted).toMatchObject([{ number: 2, loops: [], later: [1, 2, 3] }]);
    expect(life.told('declare').map(({ declaration }) => declaration.loop)).toEqual([1, 3]);
    expect([one?.ticks, three?.ticks]).toEqual([[], []]);
    expect(two?.ticks).toMatchObject([{ ended: true, outcome: { failure: NO } }]);
    expect(stage.states).toEqual(['connecting', 'greeting', 'live']);
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

/** A production build does not look at what an app writes down: here a function itself stands for its name. */
const UNCLONEABLE = { policy: { transform: Object.assign([''], { 0: JSON.parse }) } };

describe('what no message can carry', () => {
  test('fails, and takes along none of the calls of its turn', async () => {
    const stage = await live();
    const calls = [stage.call(1), stage.call(2, UNCLONEABLE), stage.call(3, { template: '/other' })];
    const [one, two, three] = await Promise.all(calls);
    expect(stage.host.life.batches).toEqual([[1], [3]]);
    expect([one?.ends, two?.ends, three?.ends]).toEqual([[], ['protocol'], []]);
    expect(two?.outcomes).toMatchObject([{ failure: { message: expect.stringContaining('parse') } }]);
    expect(stage.states).toEqual(['connecting', 'greeting', 'live']);
  });

  test('does not come back because the others are sent one by one', async () => {
    const stage = await live();
    const [one, two] = [stage.call(1, UNCLONEABLE), stage.call(2)];
    await Promise.resolve();
    stage.session.abort([2]);
    await Promise.all([one, two]);
    expect(stage.host.life.batches).toEqual([]);
  });

  test('ends a loop', async () => {
    const stage = await live();
    const [wrong, right] = await Promise.all([
      stage.declare({ invocation: invocation(UNCLONEABLE) }),
      stage.declare({ loop: 2 }),
    ]);
    expect(wrong.ticks).toMatchObject([{ ended: true, outcome: { failure: { code: 'protocol' } } }]);
    expect([right.ticks, stage.host.life.greetings]).toEqual([[], 1]);
  });

  test('ends a loop of the greeting, and takes along no other', async () => {
    const stage = new SessionStage();
    const [wrong, right] = await Promise.all([
      stage.declare({ invocation: invocation(UNCLONEABLE) }),
      stage.declare({ loop: 2 }),
    ]);
    expect(wrong.ticks).toMatchObject([{ ended: true, outcome: { failure: { code: 'protocol' } } }]);
    expect(stage.host.life.told('declare').map(({ declaration }) => declaration.loop)).toEqual([2]);
    expect([right.ticks, stage.states]).toEqual([[], ['connecting', 'greeting', 'live']]);
  });
});
