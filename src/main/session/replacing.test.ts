import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeHost, flush } from './host.fixture.ts';
import type { Life } from './host.fixture.ts';
import { answered, refused, SILENT } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

const SLOW = { kind: 'poll', interval: 300_000, hidden: 'slow' } as const;

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** A page with a loop, whose worker is to be replaced. */
async function replacing(host?: FakeHost): Promise<SessionStage> {
  const stage = new SessionStage(host);
  await stage.declare();
  await stage.host.life.drain();
  expect(stage.states.at(-1)).toBe('replacing');
  return stage;
}

/** A page that needs nothing, whose worker is to be replaced. */
async function resting(): Promise<SessionStage> {
  const stage = new SessionStage();
  await stage.session.ready();
  await stage.host.life.drain();
  return stage;
}

describe('a worker that is to be replaced', () => {
  test('is posted nothing any more but that the page knows, not even that it has taken what comes', async () => {
    const stage = new SessionStage();
    const [loop, call] = [await stage.declare(), await stage.call(1, { method: 'POST' })];
    const { life } = stage.host;
    const { messages } = life;
    await life.drain();
    expect(life.messages).toBe(messages + 1);
    const { session } = stage;
    session.presence.setHidden(true);
    session.setInterval(1, 2_000);
    session.setInterest(1, { ...SILENT, sent: true });
    session.cut(1);
    session.presence.online();
    void stage.declare({ loop: 2 });
    session.abort([(await stage.call(2), 2)]);
    session.stop(2);
    await stage.call(3);
    void life.settle(1, answered('made'));
    void life.deliver({ kind: 'tick', loop: 1, outcome: answered('news'), nextIn: 5_000 });
    await pass(14_000);
    expect(life.messages).toBe(messages + 1);
    expect([call.ends, loop.gists]).toEqual([['made'], ['news']]);
  });

  test('is followed by the next, which gets the loops, and the calls in their order', async () => {
    const stage = new SessionStage();
    const get = await stage.call(1);
    await stage.declare({ firstIn: 60_000 });
    await stage.host.life.drain();
    const later = [await stage.call(2, { method: 'POST' }), await stage.call(3)];
    const next = await stage.host.replace();
    expect(next.batches).toEqual([[1, 2, 3]]);
    expect(next.told('declare')).toMatchObject([{ declaration: { loop: 1, firstIn: 60_000 } }]);
    expect(next.resyncs).toEqual([false]);
    for (const { id } of next.submitted) await next.settle(id, answered(id));
    expect([get, ...later].map(({ ends }) => ends)).toEqual([[1], [2], [3]]);
  });

  test('is greeted in vain by a page that comes meanwhile, which then waits for the next', async () => {
    const host = new FakeHost();
    host.life.drained = true;
    const stage = new SessionStage(host);
    const [loop, call] = [await stage.declare(), await stage.call(1)];
    expect([stage.states.at(-1), host.life.greetings, host.life.messages]).toEqual(['replacing', 1, 1]);
    await pass(10_000);
    expect([host.life.messages, host.greetings]).toEqual([1, ['answered']]);
    const next = await host.replace();
    expect([next.told('declare').length, next.batches]).toEqual([1, [[1]]]);
    await next.settle(1, answered('a'));
    void next.deliver({ kind: 'tick', loop: 1, outcome: answered('news'), nextIn: 5_000 });
    await flush();
    expect([call.ends, loop.gists]).toEqual([['a'], ['news']]);
  });

  test('that dies after it has said so is followed by the next within a second', async () => {
    const host = new FakeHost();
    host.life.drained = true;
    const stage = new SessionStage(host);
    await stage.declare();
    const next = await host.kill();
    await pass(999);
    expect(next.greetings).toBe(0);
    await pass(1);
    expect(next.told('declare')).toHaveLength(1);
  });

  test('loses a POST that it does not answer in the end', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method: 'POST' });
    await stage.host.life.drain();
    expect(heard.ends).toEqual([]);
    const next = await stage.host.replace();
    expect(heard.ends).toEqual(['worker-lost']);
    expect(next.batches).toEqual([]);
  });

  test('says so once: that it says it again does not matter', async () => {
    const stage = await replacing();
    await pass(10_000);
    await stage.host.life.drain();
    await pass(4_000);
    expect(stage.host.life.greetings).toBe(1);
    await pass(1_000);
    expect(stage.host.life.greetings).toBe(2);
  });
});

describe('the next worker', () => {
  test('is greeted at once when the old one is replaced', async () => {
    const stage = await replacing();
    const next = await stage.host.replace();
    expect(stage.states).toEqual([
      'connecting',
      'greeting',
      'live',
      'replacing',
      'connecting',
      'greeting',
      'live',
    ]);
    expect(next.greetings).toBe(1);
    await pass(20_000);
    expect([next.greetings, stage.host.listeners, stage.host.watchers]).toEqual([1, 1, 1]);
  });

  test('has a second to come once the old one is dead, before whoever comes is greeted', async () => {
    const stage = await replacing();
    const next = await stage.host.kill();
    await pass(999);
    expect(next.greetings).toBe(0);
    await pass(1);
    expect(next.greetings).toBe(1);
    expect(stage.states.at(-1)).toBe('live');
  });

  test('is greeted once where it comes within that second', async () => {
    const stage = await replacing();
    stage.host.life.die();
    await pass(500);
    const next = await stage.host.replace();
    expect(next.greetings).toBe(1);
    await pass(20_000);
    expect(next.greetings).toBe(1);
  });

  test.each([true, false])('is looked for after 15 s without any sign (with locks: %s)', async (locks) => {
    const stage = await replacing(new FakeHost(locks));
    await pass(14_999);
    expect(stage.host.life.greetings).toBe(1);
    await pass(1);
    expect(stage.host.life.greetings).toBe(2);
  });

  test('is looked for when the page is shown again', async () => {
    const stage = await replacing();
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.greetings).toBe(2);
    await pass(14_000);
    expect(stage.host.life.greetings).toBe(2);
  });

  test('is not looked for by a session that is closed meanwhile', async () => {
    const stage = await replacing();
    stage.session.close();
    const next = await stage.host.replace();
    await pass(20_000);
    expect(next.messages).toBe(0);
    expect(stage.states.at(-1)).toBe('closed');
  });
});

describe('a worker that is replaced without a word', () => {
  test('is followed at once where the page needs one', async () => {
    const stage = new SessionStage();
    await stage.declare();
    const next = await stage.host.replace();
    expect(next.told('declare')).toHaveLength(1);
  });

  test('is not followed where the page needs none', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    const next = await stage.host.replace();
    expect([stage.states.at(-1), next.greetings]).toEqual(['idle', 0]);
  });

  test('while it is greeted is followed at once, whether or not the page needs one', async () => {
    for (const connect of [
      (stage: SessionStage) => stage.call(1),
      async (stage: SessionStage) => stage.session.connect(),
    ]) {
      const stage = new SessionStage();
      stage.host.life.mute = true;
      await connect(stage);
      await flush();
      expect(stage.states.at(-1)).toBe('greeting');
      const next = await stage.host.replace();
      expect([stage.states.at(-1), next.greetings]).toEqual(['live', 1]);
    }
  });

  test('wakes nobody where the page rests or has no worker', async () => {
    const stage = new SessionStage();
    expect((await stage.host.replace()).messages).toBe(0);
    stage.host.available = false;
    await stage.call(1);
    stage.host.available = true;
    expect((await stage.host.replace()).messages).toBe(0);
    expect(stage.states.at(-1)).toBe('unavailable');
  });
});

describe('a call that crosses the notice', () => {
  test.each(['GET', 'POST', 'PATCH'])('as a %s that is declined goes to the next worker', async (method) => {
    const stage = new SessionStage();
    await stage.session.ready();
    const old = stage.host.life;
    old.drained = true;
    const crossing = stage.call(1, { method });
    await old.drain();
    const heard = await crossing;
    await stage.call(2);
    expect(old.batches).toEqual([]);
    const next = await stage.host.replace();
    expect(next.batches).toEqual([[1, 2]]);
    await next.settle(1, answered('done'));
    expect(heard.ends).toEqual(['done']);
  });

  test('may be declined before the notice arrives', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    stage.host.life.drained = true;
    const heard = await stage.call(1, { method: 'POST' });
    await stage.host.life.drain();
    const next = await stage.host.replace();
    expect([next.batches, heard.ends]).toEqual([[[1]], []]);
  });

  test('and was sent to a worker before is still one that was sent twice', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method: 'DELETE' });
    const declining = stage.host.revive();
    declining.drained = true;
    stage.session.presence.show();
    await flush();
    expect(declining.batches).toEqual([]);
    await declining.drain();
    const next = await stage.host.replace();
    await next.settle(1, refused(404));
    expect(heard.ends).toEqual([null]);
  });

  test('and was sent only once is not: a 404 is its failure', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    stage.host.life.drained = true;
    const heard = await stage.call(1, { method: 'DELETE' });
    await stage.host.life.drain();
    const next = await stage.host.replace();
    await next.settle(1, refused(404));
    expect(heard.ends).toEqual(['http']);
  });

  test('and is aborted meanwhile goes nowhere', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    stage.host.life.drained = true;
    const heard = await stage.call(1, { method: 'POST' });
    await stage.host.life.drain();
    stage.session.abort([1]);
    const next = await stage.host.replace();
    expect([next.submitted, heard.ends]).toEqual([[], ['aborted']]);
  });
});

describe('a page that needs nothing', () => {
  test('rests when its worker is replaced or dead', async () => {
    const replaced = await resting();
    const next = await replaced.host.replace();
    expect([replaced.states.at(-1), next.greetings]).toEqual(['idle', 0]);
    const bereaved = await resting();
    const successor = await bereaved.host.kill();
    await pass(1_000);
    expect([bereaved.states.at(-1), successor.greetings]).toEqual(['idle', 0]);
  });

  test('before the next tick of a slow poll rests until that is due', async () => {
    const stage = new SessionStage();
    await stage.declare({ pace: SLOW, firstIn: 200_000 });
    await stage.host.life.drain();
    const next = await stage.host.replace();
    await pass(199_000);
    expect(next.greetings).toBe(0);
    await pass(1_000);
    expect(next.told('declare')).toMatchObject([{ declaration: { firstIn: 0 } }]);
  });

  test('gets its worker where it waits for one meanwhile', async () => {
    const stage = await resting();
    const ready = vi.fn<() => void>();
    void stage.session.ready().then(ready);
    await pass(5_000);
    expect(ready).not.toHaveBeenCalled();
    const next = await stage.host.replace();
    expect(ready).toHaveBeenCalledTimes(1);
    expect(next.greetings).toBe(1);
  });

  test('gets its answer from the next worker where it asks for something meanwhile', async () => {
    const stage = await resting();
    const old = stage.host.life;
    const reply = stage.session.request({ kind: 'clear-cache' });
    await pass(5_000);
    const next = await stage.host.replace();
    expect(await reply).toEqual({ kind: 'done' });
    expect([old.told('clear-cache').length, next.told('clear-cache').length]).toEqual([0, 1]);
  });
});

/** A page whose worker is about to be replaced by one that waits. */
async function waiting(): Promise<SessionStage> {
  const stage = new SessionStage();
  await stage.session.ready();
  stage.host.wait(true);
  return stage;
}

describe('to drain', () => {
  test('is asked of the worker, and done when that says so', async () => {
    const stage = await waiting();
    await expect(stage.session.drain(new AbortController().signal)).resolves.toBeUndefined();
    expect(stage.host.life.told('drain')).toHaveLength(1);
  });

  test('the worker has 12 s', async () => {
    const stage = await waiting();
    stage.host.life.deaf = true;
    const reasons: string[] = [];
    stage.session.drain(new AbortController().signal).catch((error: unknown) => reasons.push(String(error)));
    await pass(11_999);
    expect(reasons).toEqual([]);
    await pass(1);
    expect(reasons).toEqual(["Late: The worker's answer to 'drain' took longer than 12000 ms"]);
  });

  test('is not asked of a worker that ends its work already, nor then of the one that replaces it', async () => {
    const stage = await waiting();
    const old = stage.host.life;
    await old.drain();
    const drained = stage.session.drain(new AbortController().signal);
    await pass(2_000);
    await stage.host.skipWaiting();
    await expect(drained).resolves.toBeUndefined();
    expect(stage.states.at(-1)).toBe('live');
    expect([old.told('drain'), stage.host.life.told('drain')]).toEqual([[], []]);
  });

  test('is asked of the next life where the old worker has been woken again', async () => {
    const stage = await waiting();
    await stage.host.life.drain();
    const drained = stage.session.drain(new AbortController().signal);
    const next = await stage.host.kill();
    await pass(1_000);
    await drained;
    expect(next.told('drain')).toHaveLength(1);
  });

  test('is not asked of a worker that has taken over while the old one was waited for', async () => {
    const stage = new SessionStage();
    stage.host.wait(true);
    stage.host.life.mute = true;
    const drained = stage.session.drain(new AbortController().signal);
    await flush();
    await stage.host.skipWaiting();
    await drained;
    expect(stage.states.at(-1)).toBe('live');
    expect(stage.host.life.told('drain')).toEqual([]);
  });

  test('is asked of nobody where none waits', async () => {
    const stage = await waiting();
    await stage.host.skipWaiting();
    await stage.session.drain(new AbortController().signal);
    expect(stage.host.life.told('drain')).toEqual([]);
  });

  test('is over when the worker dies over it', async () => {
    const stage = await waiting();
    stage.host.life.deaf = true;
    const drained = stage.session.drain(new AbortController().signal);
    await flush();
    await stage.host.kill();
    await expect(drained).resolves.toBeUndefined();
  });

  test('is not asked by an update that was given up meanwhile', async () => {
    const stage = await waiting();
    const old = stage.host.life;
    await old.drain();
    const end = new AbortController();
    const drained = stage.session.drain(end.signal);
    end.abort();
    const next = await stage.host.kill();
    await pass(1_000);
    await drained;
    expect(next.told('drain')).toEqual([]);
  });
});

test('deliveries that are missed while the worker is replaced do not have it greeted', async () => {
  const stage = await waiting();
  const old = stage.host.life;
  await old.drain();
  void old.deliver({ kind: 'ticking', loop: 1, place: { sequence: 'life 1', number: 9 } });
  await pass(500);
  expect(stage.states.at(-1)).toBe('replacing');
  expect(old.greetings).toBe(1);
});

/** A page with a call, whose next greeting is posted and not answered yet. */
async function greeting(
  next: (host: FakeHost) => Life,
): Promise<{ stage: SessionStage; old: Life; next: Life }> {
  const stage = new SessionStage();
  await stage.declare();
  await stage.call(1, { method: 'POST' });
  const old = stage.host.life;
  const greeted = next(stage.host);
  stage.session.presence.show();
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  return { stage, old, next: greeted };
}

describe('a page that has greeted a worker and not heard its answer', () => {
  test('takes it from an earlier worker, which says late that it is replaced', async () => {
    const { stage, old, next } = await greeting((host) => host.revive());
    void old.deliver({ kind: 'draining' });
    await flush();
    await stage.call(2);
    expect([next.greetings, stage.states.at(-1), next.batches.at(-1)]).toEqual([1, 'live', [2]]);
  });

  test('goes on with it though an earlier worker says only after that answer that it is replaced', async () => {
    const { stage, old, next } = await greeting((host) => host.revive());
    await flush();
    void old.deliver({ kind: 'draining' });
    await flush();
    await stage.call(2);
    expect([stage.states.at(-1), next.batches.at(-1)]).toEqual(['live', [2]]);
  });

  test.each([
    ['says that it ends', true],
    ['was given before that', false],
  ])('waits for the next where the worker ends, and its answer %s', async (_, drained) => {
    const { stage, old } = await greeting((host) => host.life);
    old.drained = drained;
    void old.deliver({ kind: 'draining' });
    await flush();
    expect([stage.states.at(-1), old.greetings]).toEqual(['replacing', 2]);
    const { messages } = old;
    void old.settle(1, answered('made'));
    await stage.call(2);
    await pass(5_000);
    expect(old.messages).toBe(messages);
    const next = await stage.host.replace();
    expect(next.batches).toEqual([[2]]);
  });
});
