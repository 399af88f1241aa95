import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeHost, flush } from './host.fixture.ts';
import { answered, refused, SILENT } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('the death of the worker', () => {
  test('is noticed at once, and what may be sent again goes in the old order, before what is new', async () => {
    const stage = new SessionStage();
    const calls = [await stage.call(1), await stage.call(2, { method: 'PUT' })];
    calls.push(await stage.call(3, { method: 'DELETE', template: '/other' }));
    const killed = stage.host.kill();
    await vi.advanceTimersByTimeAsync(0);
    calls.push(await stage.call(4, { method: 'PUT', template: '/third' }));
    const life = await killed;
    await flush();
    expect(life.submitted.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    for (const { id } of life.submitted) await life.settle(id, answered(id));
    expect(calls.map(({ ends }) => ends)).toEqual([[1], [2], [3], [4]]);
  });

  test('has a PUT that is sent again arrive before a newer one to the same', async () => {
    const stage = new SessionStage();
    const older = await stage.call(1, { method: 'PUT' });
    const killed = stage.host.kill();
    const newer = await stage.call(2, { method: 'PUT' });
    const life = await killed;
    await flush();
    expect(life.batches).toEqual([[1]]);
    await life.settle(1, answered('older'));
    await flush();
    expect(life.batches).toEqual([[1], [2]]);
    await life.settle(2, answered('newer'));
    expect([older.ends, newer.ends]).toEqual([['older'], ['newer']]);
  });

  test.each(['POST', 'PATCH'])('loses a %s, which may have been applied', async (method) => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method });
    const life = await stage.host.kill();
    await flush();
    expect(heard.ends).toEqual(['worker-lost']);
    expect(life.submitted).toEqual([]);
  });

  test('loses no POST that was not sent yet', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const heard = await stage.call(1, { method: 'POST' });
    const life = await stage.host.kill();
    await pass(3_000);
    expect(life.batches).toEqual([[1]]);
    await life.settle(1, answered('made'));
    expect(heard.ends).toEqual(['made']);
  });

  test.each([404, 410])('a %i to a DELETE that was sent again is its success', async (status) => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method: 'DELETE' });
    const life = await stage.host.kill();
    await life.settle(1, refused(status));
    expect(heard.ends).toEqual([null]);
  });

  test('a 404 to a DELETE that was sent once is its failure', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1, { method: 'DELETE' });
    await stage.host.life.settle(1, refused(404));
    expect(heard.ends).toEqual(['http']);
  });

  test('settles nothing twice, and sends nothing again that was answered', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1);
    await stage.host.life.settle(1, answered('hello'));
    const life = await stage.host.kill();
    expect(life.submitted).toEqual([]);
    expect(heard.ends).toEqual(['hello']);
  });

  test('may come again and again', async () => {
    const stage = new SessionStage();
    const heard = await stage.call(1);
    for (let death = 0; death < 3; death += 1) await stage.host.kill();
    expect(stage.host.life.batches).toEqual([[1]]);
    await stage.host.life.settle(1, answered('at last'));
    expect(heard.ends).toEqual(['at last']);
  });

  test('has loops declared again with the rest of their wait', async () => {
    const stage = new SessionStage();
    await stage.declare({ loop: 1 });
    await stage.declare({ loop: 2, firstIn: 60_000 });
    await stage.host.life.deliver({ kind: 'tick', loop: 1, outcome: answered(), nextIn: 5_000 });
    await pass(2_000);
    const life = await stage.host.kill();
    const declared = life.told('declare').map(({ declaration: { loop, firstIn } }) => [loop, firstIn]);
    expect(declared).toEqual([
      [1, 3_000],
      [2, 58_000],
    ]);
  });

  test('makes no loop wait longer because the clock was set back', async () => {
    const stage = new SessionStage();
    await stage.declare({ firstIn: 30_000 });
    vi.setSystemTime(Date.now() - 86_400_000);
    const life = await stage.host.kill();
    expect(life.told('declare')).toMatchObject([{ declaration: { firstIn: 30_000 } }]);
  });

  test('leaves nobody at a dead transport', async () => {
    const stage = new SessionStage();
    await stage.declare();
    for (let death = 0; death < 3; death += 1) await stage.host.kill();
    expect(stage.host.listeners).toBe(1);
    expect(stage.host.life.greetings).toBe(1);
  });
});

describe('a worker that nothing needs', () => {
  test('is let rest when it is dead, and is there again for the next call', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    await stage.host.kill();
    await pass(60_000);
    expect(stage.host.life.greetings).toBe(0);
    const call = await stage.call(1);
    await stage.host.life.settle(1, answered('a'));
    expect(call.ends).toEqual(['a']);
  });

  test('before the next tick of a slow poll rests until that is due', async () => {
    const stage = new SessionStage();
    await stage.declare({ pace: { kind: 'poll', interval: 300_000, hidden: 'slow' }, firstIn: 200_000 });
    expect(stage.host.life.told('keepalive')).toHaveLength(0);
    await stage.host.kill();
    await pass(199_000);
    expect(stage.host.life.greetings).toBe(0);
    await pass(1_000);
    expect(stage.host.life.told('declare')).toMatchObject([{ declaration: { firstIn: 0 } }]);
    expect(stage.host.life.told('keepalive')).toHaveLength(1);
  });

  test('rests no longer because the clock was set back', async () => {
    const stage = new SessionStage();
    await stage.declare({ pace: { kind: 'poll', interval: 300_000, hidden: 'slow' }, firstIn: 200_000 });
    vi.setSystemTime(Date.now() - 86_400_000);
    await stage.host.kill();
    await pass(200_000);
    const [again] = stage.host.life.told('declare');
    expect(again?.declaration.firstIn).toBeLessThanOrEqual(200_000);
  });

  test('is woken before that where somebody wants what it has kept to itself', async () => {
    const stage = new SessionStage();
    const interest = { ...SILENT, body: false };
    await stage.declare({ pace: { kind: 'poll', interval: 300_000, hidden: 'slow' }, interest });
    const outcome = {
      ...answered(null, { revision: { lineage: 'a', number: 1 } }),
      answer: { status: 200, headers: [], body: { kind: 'unsent' } },
    } as const;
    await stage.host.life.deliver({ kind: 'tick', loop: 1, outcome, nextIn: 300_000 });
    await stage.host.kill();
    stage.session.setInterest(1, { ...interest, started: true });
    await flush();
    expect(stage.host.life.greetings).toBe(0);
    stage.session.setInterest(1, SILENT);
    await flush();
    expect(stage.host.life.told('declare')).toMatchObject([{ declaration: { again: { behind: true } } }]);
  });

  test('while its page is hidden rests as its polls do, and is there again when the page is shown', async () => {
    const stage = new SessionStage();
    await stage.declare({ pace: { kind: 'poll', interval: 5_000, hidden: 'pause' } });
    stage.session.presence.setHidden(true);
    await flush();
    expect(stage.host.life.told('visibility')).toEqual([{ kind: 'visibility', hidden: true }]);
    await stage.host.kill();
    await pass(600_000);
    expect(stage.host.life.greetings).toBe(0);
    stage.session.presence.setHidden(false);
    await flush();
    expect(stage.host.life.told('declare')).toHaveLength(1);
    expect(stage.host.life.told('visibility')).toEqual([]);
  });

  test('tells the next life that its page is hidden, with its loops', async () => {
    const stage = new SessionStage();
    stage.session.presence.setHidden(true);
    await stage.declare({ pace: { kind: 'poll', interval: 5_000, hidden: 'continue' } });
    await stage.host.kill();
    const { life } = stage.host;
    expect(life.greeted).toMatchObject([{ hidden: true, loops: [{ loop: 1 }] }]);
  });
});

describe('a false death', () => {
  test('loses and doubles no call', async () => {
    const stage = new SessionStage();
    const calls = [await stage.call(1, { method: 'POST' }), await stage.call(2)];
    stage.host.alarm();
    await flush();
    expect(stage.host.life.greetings).toBeGreaterThan(1);
    await stage.host.life.settle(1, answered('made'));
    await stage.host.life.settle(2, answered('read'));
    expect(calls.map(({ ends }) => ends)).toEqual([['made'], ['read']]);
    expect(stage.host.life.batches).toEqual([[1], [2]]);
  });

  test('sends what was called while it was cleared up', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    stage.session.presence.show();
    const heard = await stage.call(1, { method: 'POST' });
    await stage.host.life.settle(1, answered('made'));
    expect(stage.host.life.batches).toEqual([[1]]);
    expect(heard.ends).toEqual(['made']);
  });
});

async function lockless(): Promise<SessionStage> {
  const stage = new SessionStage(new FakeHost(false));
  await stage.declare();
  return stage;
}

describe('where the lock cannot be watched', () => {
  test('a worker that answers no sign of life within 25 s is dead', async () => {
    const host = new FakeHost();
    host.released = () => Promise.reject(new Error('locks are not allowed here'));
    const stage = new SessionStage(host);
    await stage.declare();
    await flush();
    expect(host.life.told('keepalive').at(-1)).toMatchObject({ watched: false });
    const dead = host.life;
    const life = host.revive();
    dead.die();
    await pass(25_000);
    expect(life.greetings).toBe(1);
  });

  test('a worker that has died unseen is followed when a slow poll is due', async () => {
    const host = new FakeHost();
    host.released = () => Promise.reject(new Error('locks are not allowed here'));
    const stage = new SessionStage(host);
    await stage.declare({ pace: { kind: 'poll', interval: 300_000, hidden: 'slow' }, firstIn: 200_000 });
    const dead = host.life;
    const life = host.revive();
    dead.die();
    await pass(199_000);
    expect(life.messages).toBe(0);
    await pass(26_000);
    expect(life.told('declare')).toHaveLength(1);
  });
});

test('a worker that answers though its lock is free is greeted once more, and its lock is not watched again', async () => {
  const host = new FakeHost();
  // As in Chromium once the site's data was cleared: the page and the worker do not see each other's locks any more.
  host.released = async (): Promise<void> => {};
  const stage = new SessionStage(host);
  await stage.declare();
  await pass(3_000);
  expect(host.life.greetings).toBe(2);
  expect(host.life.told('keepalive').at(-1)).toMatchObject({ watched: false });
});

describe('where there are no locks', () => {
  test('a worker that answers no sign of life within 25 s is dead', async () => {
    const stage = await lockless();
    const dead = stage.host.life;
    const life = stage.host.revive(false);
    dead.die();
    await pass(24_000);
    expect(life.greetings).toBe(0);
    await pass(1_000);
    expect(life.greetings).toBe(1);
    expect(life.told('declare')).toHaveLength(1);
  });

  test('a worker that answers greetings but no sign of life is greeted again, no more', async () => {
    const stage = await lockless();
    await pass(60_000);
    expect(stage.host.life.greetings).toBe(3);
    expect(stage.states.at(-1)).toBe('live');
  });
});
