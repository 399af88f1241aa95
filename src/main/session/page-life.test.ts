import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeHost, flush } from './host.fixture.ts';
import { fakeTime, nextTask, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('a request to the worker', () => {
  test('waits until it is there, and resolves to its answer', async () => {
    const stage = new SessionStage();
    await expect(stage.session.request({ kind: 'clear-cache' })).resolves.toEqual({ kind: 'done' });
    expect(stage.host.life.told('clear-cache')).toHaveLength(1);
  });

  test('rejects where it is not answered within 10 s', async () => {
    const stage = new SessionStage();
    stage.host.life.deaf = true;
    const request = stage.session.request({ kind: 'inspect' });
    const reason = request.catch((error: unknown) => error);
    await pass(10_000);
    expect(await reason).toMatchObject({
      name: 'RestError',
      message: "The worker's answer to 'inspect' took longer than 10000 ms",
      failure: { code: 'timeout', timeout: 10_000 },
    });
  });

  test('rejects where nobody is there to be asked within 10 s, and asks nobody later', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const reason = stage.session.request({ kind: 'clear-cache' }).catch((error: unknown) => error);
    await pass(10_000);
    expect(await reason).toMatchObject({ code: 'timeout' });
    stage.host.life.mute = false;
    await pass(10_000);
    expect(stage.host.life.greetings).toBeGreaterThan(1);
    expect(stage.host.life.told('clear-cache')).toEqual([]);
  });

  test('is asked again of the next life of a worker that dies over it', async () => {
    const stage = new SessionStage();
    stage.host.life.deaf = true;
    const request = stage.session.request({ kind: 'inspect' });
    await flush();
    await stage.host.kill();
    await flush();
    expect(await request).toEqual({ kind: 'done' });
    expect(stage.host.life.told('inspect')).toHaveLength(1);
  });

  test('rejects where there is no worker', async () => {
    const stage = new SessionStage();
    stage.host.available = false;
    await expect(stage.session.request({ kind: 'inspect' })).rejects.toMatchObject({ code: 'not-connected' });
  });
});

describe('a page', () => {
  test('tells the worker that it leaves and that the network is back, but wakes none for it', async () => {
    const stage = new SessionStage();
    stage.session.presence.online();
    await flush();
    expect(stage.host.life.greeted).toEqual([]);
    await stage.session.ready();
    expect(stage.host.life.greeted).toMatchObject([{ online: true }]);
    stage.session.presence.online();
    stage.session.presence.leave();
    await flush();
    expect(stage.host.life.commands).toEqual([{ kind: 'online' }, { kind: 'online' }, { kind: 'leave' }]);
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.greeted).toMatchObject([{ online: true }, { online: false }]);
  });

  test('that has left does not say that it is hidden: the answer would cost it the back/forward cache', async () => {
    const stage = new SessionStage();
    await stage.declare();
    stage.session.presence.leave();
    stage.session.presence.setHidden(true);
    await flush();
    expect(stage.host.life.told('visibility')).toEqual([]);
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.told('visibility')).toEqual([]);
    expect(stage.host.life.greeted.at(-1)).toMatchObject({ hidden: true });
  });

  test('that leaves before it has greeted greets nobody until it is back', async () => {
    const stage = new SessionStage();
    void stage.declare();
    stage.session.presence.leave();
    await flush();
    expect(stage.host.life.messages).toBe(0);
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.greeted).toMatchObject([{ loops: [{ loop: 1 }] }]);
  });

  test('that is shown again greets again and declares its loops', async () => {
    const stage = new SessionStage();
    await stage.declare();
    stage.session.presence.leave();
    await flush();
    stage.session.presence.show();
    await flush();
    expect(stage.host.life.greetings).toBe(2);
    expect(stage.host.life.told('declare')).toHaveLength(2);
    expect(stage.host.listeners).toBe(1);
    expect(stage.host.watchers).toBe(1);
  });
});

describe('closed', () => {
  test('a session settles its calls and is silent', async () => {
    const stage = new SessionStage(new FakeHost());
    const heard = await stage.call(1);
    stage.session.close();
    expect(heard.ends).toEqual(['not-connected']);
    await flush();
    expect([stage.host.listeners, stage.host.watchers]).toEqual([0, 0]);
    const { searches } = stage.host;
    const later = await stage.call(2);
    await nextTask();
    expect(later.ends).toEqual(['not-connected']);
    await pass(30_000);
    expect(stage.host.searches).toBe(searches);
    expect(stage.states.at(-1)).toBe('closed');
  });

  test('whoever waits for it hears so', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    const reason = stage.session.ready().catch((error: unknown) => error);
    stage.session.close();
    expect(await reason).toMatchObject({ code: 'not-connected' });
    await expect(stage.session.ready()).rejects.toMatchObject({ code: 'not-connected' });
  });

  test('it tells the worker to end all that it has of it', async () => {
    const stage = new SessionStage();
    await stage.declare();
    stage.session.close();
    await flush();
    expect(stage.host.life.told('close')).toHaveLength(1);
  });

  test('at rest it tells so a worker that lives, though the lock of that is free', async () => {
    const stage = new SessionStage();
    await stage.declare({ pace: { kind: 'poll', interval: 300_000, hidden: 'slow' }, firstIn: 200_000 });
    // As in Chromium after Clear-Site-Data.
    stage.host.alarm();
    await flush();
    expect(stage.states.at(-1)).toBe('idle');
    stage.session.close();
    await flush();
    expect(stage.host.life.told('close')).toHaveLength(1);
  });
});
