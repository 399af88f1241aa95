import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Calls } from './calls.ts';
import { flush } from './host.fixture.ts';
import { answered, SILENT, submission } from './invocation.fixture.ts';
import { fakeTime, nextTask, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a call', () => {
  test('connects, and goes once the greeting is answered', async () => {
    const stage = new SessionStage();
    expect(stage.host.searches).toBe(0);
    const heard = await stage.call(1);
    expect(stage.states).toEqual(['connecting', 'greeting', 'live']);
    expect(stage.host.life.batches).toEqual([[1]]);
    await stage.host.life.settle(1, answered('hello'));
    expect(heard.ends).toEqual(['hello']);
  });

  test('hears of the steps on its way', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1);
    const progress = { loaded: 1, total: 2 };
    await stage.host.life.deliver(
      { kind: 'sent', to: { id: 1 }, status: 200, headers: [['X', '1']] },
      { kind: 'progress', to: { id: 1 }, progress },
      { kind: 'sent', to: { id: 9 }, status: 200, headers: [] },
    );
    expect(heard.steps).toEqual([
      ['sent', 200, [['X', '1']]],
      ['progress', progress],
    ]);
  });

  test('travels with the others of its turn', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    const calls = [stage.call(1), stage.call(2, { template: '/other' })];
    await Promise.all(calls);
    await stage.call(3);
    expect(stage.host.life.batches).toEqual([[1, 2], [3]]);
  });

  test('is looked for once with the others of its turn, which may be thousands', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    const looks = vi.spyOn(Calls.prototype, 'takeUnsent');
    await Promise.all([stage.call(1), stage.call(2), stage.call(3)]);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  test('is sent before a command that comes after it', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    const heard = stage.call(1);
    stage.session.abort([1]);
    expect((await heard).ends).toEqual(['aborted']);
    expect(stage.host.life.batches).toEqual([]);
    const other = stage.call(2);
    stage.session.cut(7);
    await other;
    expect(stage.host.life.order).toEqual(['greet', 'abort', 'submit 2', 'cut']);
  });

  test('that is aborted ends here and now, and the worker is told', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1);
    stage.session.abort([1]);
    expect(heard.ends).toEqual(['aborted']);
    await flush();
    expect(stage.host.life.told('abort')).toEqual([{ kind: 'abort', ids: [1] }]);
    await stage.host.life.settle(1, answered('late'));
    expect(heard.ends).toEqual(['aborted']);
  });

  test('that the worker never answers is settled by its deadline, and the worker told', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { policy: { timeout: 4_000 } });
    await pass(4_900);
    expect(heard.ends).toEqual([]);
    await pass(100);
    expect(heard.ends).toEqual(['timeout']);
    expect(stage.host.life.told('abort')).toEqual([{ kind: 'abort', ids: [1] }]);
  });

  test('that never reached a worker says so at its deadline', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const heard = await stage.call(1, { policy: { timeout: 4_000 } });
    await pass(5_000);
    expect(heard.ends).toEqual(['not-connected']);
  });
});

describe('a greeting', () => {
  test('that was out while the page was away is made again: what came before its answer was missed', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    await stage.call(1);
    stage.session.presence.leave();
    stage.host.life.mute = false;
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.greetings).toBe(2);
    expect(stage.host.life.batches).toEqual([[1]]);
  });

  test('that is not answered within 3 s is made again on a fresh transport', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const heard = await stage.call(1);
    await pass(2_900);
    expect(stage.host.life.greetings).toBe(1);
    stage.host.life.mute = false;
    await pass(100);
    expect(stage.host.life.greetings).toBe(2);
    expect(stage.host.listeners).toBe(1);
    expect(stage.host.life.batches).toEqual([[1]]);
    await stage.host.life.settle(1, answered('hello'));
    expect(heard.ends).toEqual(['hello']);
  });

  test('by a worker of another protocol is a failure, and is tried again with the next call', async () => {
    const stage = new SessionStage();
    stage.host.life.protocol = 0;
    expect((await stage.call(1)).ends).toEqual(['protocol']);
    expect(stage.states.at(-1)).toBe('unavailable');
    stage.host.revive();
    await stage.call(2);
    await nextTask();
    expect(stage.host.life.batches).toEqual([[2]]);
  });
});

/** Calls again whenever the last call has failed, a thousand times at most; returns how often it has by now. */
function calledAgain({ session }: SessionStage): () => number {
  let calls = 0;
  const again = (): void => {
    calls += 1;
    if (calls < 1_000) session.call(submission(calls), listener);
  };
  const listener = { sent: () => {}, progress: () => {}, preliminary: () => {}, settled: again };
  again();
  return () => calls;
}

describe('a page that calls again in the handler of each failure', () => {
  test('has other work done in between where there is no worker', async () => {
    const calls = calledAgain(without());
    await flush();
    expect(calls()).toBeLessThan(5);
    await pass(1_000);
    expect(calls()).toBeGreaterThan(5);
  });

  test('and where the connection is closed', async () => {
    const stage = new SessionStage();
    stage.session.close();
    const calls = calledAgain(stage);
    await flush();
    expect(calls()).toBeLessThan(5);
    await pass(1_000);
    expect(calls()).toBe(1_000);
  });
});

function without(): SessionStage {
  const stage = new SessionStage();
  stage.host.available = false;
  return stage;
}

describe('a host that is not to be had', () => {
  test('fails every call, each of which looks for it again', async () => {
    const stage = without();
    const calls = await Promise.all([stage.call(1), stage.call(2)]);
    expect(calls.map(({ ends }) => ends)).toEqual([['not-connected'], ['not-connected']]);
    const { outcomes } = await stage.call(3);
    await nextTask();
    expect(outcomes).toMatchObject([
      { failure: { code: 'not-connected', message: expect.stringContaining('it is not allowed here') } },
    ]);
    expect(stage.host.searches).toBe(2);
  });

  test('is found once it is there', async () => {
    const stage = without();
    await stage.call(1);
    stage.host.available = true;
    const heard = await stage.call(2);
    await nextTask();
    await stage.host.life.settle(2, answered('hello'));
    expect(heard.ends).toEqual(['hello']);
    expect(stage.host.life.batches).toEqual([[2]]);
  });

  test('is told to whoever waits for it, and to those who wait later', async () => {
    const stage = without();
    await expect(stage.session.ready()).rejects.toMatchObject({ code: 'not-connected' });
    stage.host.available = true;
    const ready = stage.session.ready();
    await nextTask();
    await expect(ready).resolves.toBeUndefined();
  });

  test('is told once to loops, which look for it again every 5 s', async () => {
    const stage = without();
    const heard = await stage.declare();
    await pass(5_000);
    expect(heard.gists).toEqual(['not-connected']);
    expect(heard.ticks).toMatchObject([{ ended: false }]);
    stage.host.available = true;
    await pass(5_000);
    expect(stage.host.life.told('declare')).toMatchObject([{ declaration: { loop: 1, firstIn: 0 } }]);
  });

  test('is not looked for more often because calls fail meanwhile', async () => {
    const stage = without();
    await stage.declare();
    for (let id = 1; id <= 4; id += 1) {
      await stage.call(id);
      await pass(1_000);
    }
    const { searches } = stage.host;
    await pass(24_000);
    expect(stage.host.searches - searches).toBe(5);
  });
});

describe('a loop', () => {
  test('is declared once the worker is there', async () => {
    const stage = new SessionStage();
    await stage.declare({ firstIn: 500 });
    expect(stage.host.life.told('declare')).toMatchObject([{ declaration: { loop: 1, firstIn: 500 } }]);
  });

  test('is declared once where the worker is there already', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    await stage.declare();
    expect(stage.host.life.told('declare')).toHaveLength(1);
  });

  test('hears its ticks and their steps, and nothing of other loops', async () => {
    const stage = new SessionStage();
    const [one, two] = [await stage.declare(), await stage.declare({ loop: 2 })];
    await stage.host.life.deliver(
      { kind: 'ticking', loop: 1 },
      { kind: 'sent', to: { loop: 1 }, status: 200, headers: [] },
      { kind: 'progress', to: { loop: 1 }, progress: { loaded: 1, total: null } },
      { kind: 'tick', loop: 1, outcome: answered('a'), nextIn: 5_000 },
      { kind: 'tick', loop: 99, outcome: answered('b'), nextIn: 5_000 },
    );
    expect(one.steps).toEqual(['ticking', ['sent', 200], ['progress', { loaded: 1, total: null }]]);
    expect(one.gists).toEqual(['a']);
    expect([two.steps, two.ticks]).toEqual([[], []]);
  });

  test('is paced, told, cut and stopped in the worker', async () => {
    const stage = new SessionStage();
    const heard = await stage.declare();
    stage.session.setInterval(1, 700);
    stage.session.setInterest(1, { ...SILENT, sent: true });
    stage.session.cut(1);
    stage.session.stop(1);
    await flush();
    const commands = stage.host.life.commands.filter(({ kind }) => kind !== 'keepalive');
    expect(commands.map(({ kind }) => kind)).toEqual(['declare', 'pace', 'interest', 'cut', 'stop']);
    expect(commands[1]).toEqual({ kind: 'pace', loop: 1, interval: 700 });
    await stage.host.life.deliver({ kind: 'tick', loop: 1, outcome: answered(), nextIn: 1 });
    expect(heard.ticks).toEqual([]);
  });

  test('is declared as one that has nothing, where the page can make nothing of what has changed', async () => {
    const stage = new SessionStage();
    const heard = await stage.declare();
    const { answer, ...rest } = answered();
    const body = { kind: 'patches', from: { lineage: 'a', number: 1 }, patches: [] } as const;
    const outcome = { ...rest, answer: { ...answer, body } };
    await stage.host.life.deliver({ kind: 'tick', loop: 1, outcome, nextIn: 5_000 });
    await flush();
    expect(heard.ticks).toEqual([]);
    const declared = stage.host.life.commands.filter(({ kind }) => kind === 'declare');
    expect(declared).toMatchObject([{ declaration: { loop: 1 } }, { declaration: { loop: 1, firstIn: 0 } }]);
  });
});

test.each([
  ['token', ['hello']],
  ['another', []],
])('a message of the session %s is heard, or is another’s', async (session, expected) => {
  const stage = new SessionStage();
  const heard = await stage.call(1);
  const batch = [
    { kind: 'settled', id: 1, outcome: answered('hello'), place: { sequence: 'life 1', number: 1 } },
  ];
  const argumentList = [{ type: 'RAW', value: batch }];
  stage.host.say(session, { id: 'a', type: 'APPLY', path: ['deliver'], argumentList });
  stage.host.say(session, 'no message of Comlink’s');
  expect(heard.ends).toEqual(expected);
});

test('a change of the worker’s storage is told', async () => {
  const stage = new SessionStage();
  await stage.session.ready();
  await stage.host.life.deliver({ kind: 'storage', mode: 'memory', reason: 'no room' });
  expect(stage.storage).toEqual([['memory', 'no room']]);
});

test('what the worker knows of an origin is told', async () => {
  const stage = new SessionStage();
  await stage.session.ready();
  await stage.host.life.deliver({ kind: 'origin', origin: 'https://api.example', status: 'failing' });
  expect(stage.origins).toEqual([['https://api.example', 'failing']]);
});
