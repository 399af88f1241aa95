import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('a greeting', () => {
  test('that is not answered within 3 s is silence, and the next is sent', async () => {
    const stage = new SessionStage();
    const { life } = stage.host;
    life.mute = true;
    await stage.declare();
    await pass(2_999);
    expect([stage.host.greetings, life.greetings]).toEqual([[], 1]);
    await pass(1);
    expect([stage.host.greetings, life.greetings]).toEqual([['unanswered'], 2]);
  });

  test('whose worker is replaced meanwhile says nothing of the next', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    await stage.declare();
    await stage.host.replace();
    expect([stage.host.greetings, stage.states.at(-1)]).toEqual([['answered'], 'live']);
  });

  test('of which the worker knows nothing was not heard by this life of it, which is greeted in turn', async () => {
    const stage = new SessionStage();
    stage.host.life.mute = true;
    await stage.declare();
    const next = stage.host.revive();
    next.replyTo = () => ({ kind: 'stranger' });
    stage.session.presence.setHidden(true);
    await flush();
    expect([stage.host.greetings, next.greetings, stage.states.at(-1)]).toEqual([['answered'], 1, 'live']);
  });

  test('that is out when its page closes is followed by that, though an older worker says that it is replaced', async () => {
    const stage = new SessionStage();
    await stage.declare();
    const { life } = stage.host;
    const next = stage.host.revive();
    next.mute = true;
    stage.session.presence.show();
    await flush();
    void life.deliver({ kind: 'draining' });
    await flush();
    expect([next.greetings, stage.states.at(-1)]).toEqual([1, 'greeting']);
    stage.session.close();
    await flush();
    expect(next.told('close')).toHaveLength(1);
  });
});

describe('a page whose timers come late, since it was frozen or busy', () => {
  test('gives the worker time to be heard', async () => {
    const stage = new SessionStage();
    const { life } = stage.host;
    life.mute = true;
    await stage.declare();
    vi.setSystemTime(Date.now() + 60_000);
    await pass(3_999);
    expect([stage.host.greetings, life.greetings]).toEqual([[], 1]);
    await pass(1);
    expect([stage.host.greetings, life.greetings]).toEqual([['unanswered'], 2]);
  });

  test('hears the answer to a call that came meanwhile', async () => {
    const stage = new SessionStage();
    const call = await stage.call(1, { policy: { timeout: 4_000 } });
    vi.setSystemTime(Date.now() + 60_000);
    await pass(5_000);
    expect([call.ends, stage.host.life.told('abort')]).toEqual([[], []]);
    await stage.host.life.settle(1, answered('a'));
    expect(call.ends).toEqual(['a']);
  });
});
