import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RestError } from '../error.ts';
import { FakeHost, flush } from '../session/host.fixture.ts';
import { fakeTime, pass, SessionStage } from '../session/stage.fixture.ts';
import { Update } from './update.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

type Step = () => Promise<void>;

const DONE: Step = () => Promise.resolve();
const FAILED: Step = () => Promise.reject(new Error('it is dead'));
const NEVER: Step = () => new Promise(() => {});

/** A host and a session that do what a test tells them to, and an update of theirs. */
class Stage extends FakeHost {
  /** What they were asked for, in order. */
  readonly order: string[] = [];
  /** What becomes of each attempt to drain the old worker and to have the new one take over; the last goes on. */
  drains: Step[] = [DONE];
  skips: Step[] = [DONE];
  greeting: Step = DONE;
  readonly update: Update = new Update(this, {
    drain: () => this.#play('drain', this.drains),
    ready: () => this.#play('ready', [this.greeting]),
  });

  override skipWaiting(): Promise<void> {
    return this.#play('skip', this.skips);
  }

  /** Applies; what came of it is told as soon as it is known. */
  apply(): { readonly ends: unknown[] } {
    const ends: unknown[] = [];
    this.update.apply().then(
      () => ends.push('applied'),
      (error: unknown) => ends.push(error),
    );
    return { ends };
  }

  #play(step: string, steps: readonly Step[]): Promise<void> {
    const nth = this.order.filter((each) => each === step).length;
    this.order.push(step);
    return (steps[nth] ?? steps.at(-1) ?? DONE)();
  }
}

describe('an update', () => {
  test('has the old worker end its work before the new one takes over, then waits for its answer', async () => {
    const stage = new Stage();
    const steps: (() => void)[] = [];
    const step: Step = () => new Promise((resolve) => steps.push(resolve));
    [stage.drains, stage.skips, stage.greeting] = [[step], [step], step];
    const { ends } = stage.apply();
    const seen = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await flush();
      seen.push([...stage.order]);
      expect(ends).toEqual([]);
      steps.shift()?.();
    }
    await flush();
    expect(seen).toEqual([['drain'], ['drain', 'skip'], ['drain', 'skip', 'ready']]);
    expect(ends).toEqual(['applied']);
  });

  test('goes on where the old worker cannot be drained any more', async () => {
    const stage = new Stage();
    stage.drains = [FAILED];
    await expect(stage.update.apply()).resolves.toBeUndefined();
    expect(stage.order).toEqual(['drain', 'skip', 'ready']);
  });

  test('that does not take over within 2 s has the old worker, woken again perhaps, drained again', async () => {
    const stage = new Stage();
    stage.skips = [NEVER, NEVER, DONE];
    const { ends } = stage.apply();
    await pass(1_999);
    expect(stage.order).toEqual(['drain', 'skip']);
    await pass(1);
    expect(stage.order).toEqual(['drain', 'skip', 'drain', 'skip']);
    await pass(2_000);
    expect(stage.order.slice(4)).toEqual(['drain', 'skip', 'ready']);
    expect(ends).toEqual(['applied']);
  });

  test('that has not taken over after 20 s is given up', async () => {
    const stage = new Stage();
    stage.skips = [NEVER];
    const { ends } = stage.apply();
    await pass(19_999);
    expect(ends).toEqual([]);
    await pass(1);
    expect(ends).toEqual([expect.any(RestError)]);
    expect(ends).toMatchObject([{ code: 'timeout', failure: { timeout: 20_000 } }]);
    await pass(60_000);
    expect(stage.order.filter((step) => step === 'skip')).toHaveLength(10);
    expect(stage.order).not.toContain('ready');
  });

  test('whose new worker the host cannot even ask fails with the reason, at once', async () => {
    const stage = new Stage();
    stage.skips = [FAILED];
    await expect(stage.update.apply()).rejects.toThrow('it is dead');
    expect(stage.order).toEqual(['drain', 'skip']);
  });

  test('fails as the connection does where the new worker is not to be had', async () => {
    const stage = new Stage();
    stage.greeting = FAILED;
    await expect(stage.update.apply()).rejects.toThrow('it is dead');
  });
});

describe('to apply twice', () => {
  test('at once is to apply once', async () => {
    const stage = new Stage();
    const [one, two] = [stage.update.apply(), stage.update.apply()];
    expect(two).toBe(one);
    await one;
    expect(stage.order).toEqual(['drain', 'skip', 'ready']);
  });

  test.each<[string, Step]>([
    ['has failed', FAILED],
    ['has succeeded', DONE],
  ])('is to try again where it %s', async (_how, greeting) => {
    const stage = new Stage();
    stage.greeting = greeting;
    await Promise.allSettled([stage.update.apply()]);
    stage.greeting = DONE;
    await expect(stage.update.apply()).resolves.toBeUndefined();
    expect(stage.order).toEqual(['drain', 'skip', 'ready', 'drain', 'skip', 'ready']);
  });
});

describe('with a session', () => {
  test('the old worker is drained and the new one is not', async () => {
    const { host, session } = new SessionStage();
    await session.ready();
    host.wait(true);
    const old = host.life;
    await new Update(host, session).apply();
    expect(host.life).not.toBe(old);
    expect([old.told('drain').length, host.life.told('drain').length]).toEqual([1, 0]);
    expect(host.life.greetings).toBe(1);
  });

  test('an update that another page has applied is applied already: nobody is drained', async () => {
    const { host, session } = new SessionStage();
    await session.ready();
    host.wait(true);
    const update = new Update(host, session);
    await host.skipWaiting();
    const { life } = host;
    await update.apply();
    expect(life.told('drain')).toEqual([]);
  });

  test('a new worker that never takes over is given up, and the old one not drained once more', async () => {
    const { host, session } = new SessionStage(new StubbornHost());
    await session.ready();
    host.wait(true);
    const ends: unknown[] = [];
    new Update(host, session).apply().catch((error: unknown) => ends.push(error));
    await flush();
    await host.life.drain();
    await pass(20_000);
    expect(ends).toMatchObject([{ code: 'timeout' }]);
    const drained = host.life.told('drain').length;
    await pass(60_000);
    expect(host.life.told('drain')).toHaveLength(drained);
  });
});

class StubbornHost extends FakeHost {
  override skipWaiting(): Promise<void> {
    return NEVER();
  }
}
