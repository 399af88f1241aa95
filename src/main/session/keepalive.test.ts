import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { Keepalive } from './keepalive.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** A worker that is asked to stay and answers when told to. */
class Stage {
  needed = true;
  watched = false;
  silences = 0;
  ends = 0;
  readonly asked: { readonly answer: () => void; readonly fail: () => void }[] = [];
  readonly keepalive: Keepalive = new Keepalive({
    needed: () => this.needed,
    stay: () =>
      new Promise<void>((resolve, reject) => {
        this.asked.push({ answer: resolve, fail: () => reject(new Error('gone')) });
      }),
    watched: () => this.watched,
    silent: () => {
      this.silences += 1;
    },
    ended: () => {
      this.ends += 1;
    },
  });

  async answer(): Promise<void> {
    this.asked.at(-1)?.answer();
    await flush();
  }
}

test('each answer makes the page ask again, without a timer of its own', async () => {
  const stage = new Stage();
  stage.keepalive.start();
  await stage.answer();
  await stage.answer();
  expect(stage.asked).toHaveLength(3);
});

test('it ends when nothing needs the worker, and starts again', async () => {
  const stage = new Stage();
  stage.keepalive.start();
  stage.needed = false;
  await stage.answer();
  expect([stage.asked.length, stage.ends]).toEqual([1, 1]);
  expect(vi.getTimerCount()).toBe(0);
  stage.needed = true;
  stage.keepalive.start();
  await flush();
  expect(stage.asked).toHaveLength(2);
});

test('it runs once, however often it is started', async () => {
  const stage = new Stage();
  stage.keepalive.start();
  stage.keepalive.start();
  await flush();
  expect(stage.asked).toHaveLength(1);
});

test('what is soon over does not start it', async () => {
  const stage = new Stage();
  stage.keepalive.startLater();
  stage.keepalive.startLater();
  await pass(9_000);
  stage.needed = false;
  await pass(2_000);
  expect(stage.asked).toHaveLength(0);
  stage.needed = true;
  stage.keepalive.startLater();
  await pass(10_000);
  expect(stage.asked).toHaveLength(1);
});

test('where nothing needs it, no timer is left that a process would wait for', async () => {
  const stage = new Stage();
  stage.needed = false;
  stage.keepalive.startLater();
  expect(vi.getTimerCount()).toBe(0);
});

describe('a worker that does not answer', () => {
  test('within 25 s is told as silent, once', async () => {
    const stage = new Stage();
    stage.keepalive.start();
    await pass(24_000);
    expect(stage.silences).toBe(0);
    await pass(60_000);
    expect(stage.silences).toBe(1);
    expect(stage.asked).toHaveLength(1);
  });

  test('because it cannot is told so at once', async () => {
    const stage = new Stage();
    stage.keepalive.start();
    stage.asked[0]?.fail();
    await flush();
    expect(stage.silences).toBe(1);
  });

  test('is of no interest once there is another', async () => {
    const stage = new Stage();
    stage.keepalive.start();
    stage.keepalive.renew();
    await flush();
    expect(stage.asked).toHaveLength(2);
    stage.asked[0]?.fail();
    await flush();
    expect(stage.silences).toBe(0);
    expect(stage.asked).toHaveLength(2);
    stage.asked[1]?.answer();
    await flush();
    expect(stage.asked).toHaveLength(3);
  });
});

test('the late answer of an earlier life makes nobody ask', async () => {
  const stage = new Stage();
  stage.keepalive.start();
  stage.keepalive.renew();
  stage.asked[0]?.answer();
  await flush();
  expect(stage.asked).toHaveLength(2);
});

describe('a session', () => {
  test('keeps its worker for a loop, at once', async () => {
    const stage = new SessionStage();
    await stage.declare();
    expect(stage.host.life.told('keepalive')).toHaveLength(1);
  });

  test('keeps it for a call that takes long, not for a quick one', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    await stage.call(1);
    await stage.host.life.settle(1, answered());
    await pass(11_000);
    expect(stage.host.life.told('keepalive')).toHaveLength(0);
    await stage.call(2);
    await pass(10_000);
    expect(stage.host.life.told('keepalive')).toHaveLength(1);
  });

  test('lets it go without either', async () => {
    const stage = new SessionStage();
    await stage.session.ready();
    await pass(60_000);
    expect(stage.host.life.commands).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('asks the next life to stay as well', async () => {
    const stage = new SessionStage();
    await stage.declare();
    const life = await stage.host.kill();
    expect(life.told('keepalive')).toHaveLength(1);
  });
});
