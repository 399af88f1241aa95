import { describe, expect, test } from 'vitest';
import type { Outcome } from '../shared/outcome.ts';
import { EngineLock } from './engine-lock.ts';
import { failed } from './outcome.fixture.ts';
import { settle, stateOf } from './virtual-clock.fixture.ts';

type Request = LockManager['request'];

/** One exclusive lock as the browser has it: a queue, and who takes it from whoever holds it. */
class Locks {
  #holder: ((reason: unknown) => void) | null = null;
  readonly #queue: (() => void)[] = [];

  readonly request: Request = async (_name: string, ...rest: readonly unknown[]): Promise<never> => {
    const [options, held] = [Object(rest[0]), rest.at(-1)];
    if (options.steal) this.#holder?.(new DOMException('taken', 'AbortError'));
    else if (this.#holder) await this.#turn(options.signal);
    const result = await new Promise<unknown>((resolve, reject) => {
      this.#holder = reject;
      if (typeof held === 'function') void Promise.resolve(held(null)).then(resolve);
    });
    this.#holder = null;
    this.#queue.shift()?.();
    throw new Error(`Given back: ${String(result)}`);
  };

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push(resolve);
      signal.addEventListener('abort', () => {
        this.#queue.splice(this.#queue.indexOf(resolve), 1);
        reject(signal.reason);
      });
    });
  }
}

/** An engine with one loop's request out, which ends with its signal. */
class Asking {
  readonly lock: EngineLock;
  readonly end = new AbortController();
  asked = 0;
  outcome: unknown = null;

  constructor(locks: { request: Request } | null, steals = false, raise = async (): Promise<number> => 1) {
    this.lock = new EngineLock({ locks, name: 'engine:default', steals, raise });
  }

  async start(): Promise<this> {
    void this.lock
      .act((signal) => this.#ask(signal), this.end.signal)
      .then((outcome) => (this.outcome = outcome));
    await settle();
    return this;
  }

  async #ask(signal: AbortSignal): Promise<Outcome> {
    this.asked += 1;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return failed('aborted');
  }
}

describe('the lock of the acting engine', () => {
  test('is asked for only once there is something to run', async () => {
    const locks = new Locks();
    const { lock } = new Asking(locks);
    lock.rest();
    lock.resume();
    await settle();
    expect(lock.acting).toBe(false);
  });

  test('is one engine’s at a time: a page waits until it is given back', async () => {
    const locks = new Locks();
    const one = await new Asking(locks).start();
    const two = await new Asking(locks).start();
    expect([one.lock.acting, two.lock.acting]).toEqual([true, false]);
    expect([one.asked, two.asked]).toEqual([1, 0]);
    one.lock.rest();
    await settle();
    expect([one.lock.acting, two.lock.acting]).toEqual([false, true]);
    expect([one.asked, two.asked]).toEqual([1, 1]);
  });

  test('is taken by a service worker; what the page had out is cut, and asked again in the page’s next term', async () => {
    const locks = new Locks();
    const page = await new Asking(locks).start();
    const worker = await new Asking(locks, true).start();
    expect([page.lock.acting, worker.lock.acting]).toEqual([false, true]);
    expect([page.asked, page.outcome]).toEqual([1, null]);
    worker.lock.rest();
    await settle();
    expect([page.lock.acting, page.asked]).toEqual([true, 2]);
  });

  test('is not taken back by a worker that lost it to the next one', async () => {
    const locks = new Locks();
    const old = await new Asking(locks, true).start();
    const next = await new Asking(locks, true).start();
    expect([old.lock.acting, next.lock.acting]).toEqual([false, true]);
  });

  test('is waited for again after the back/forward cache', async () => {
    const locks = new Locks();
    const page = await new Asking(locks).start();
    page.lock.rest();
    await settle();
    const other = await new Asking(locks).start();
    page.lock.resume();
    await settle();
    expect([page.lock.acting, other.lock.acting]).toEqual([false, true]);
    other.lock.rest();
    await settle();
    expect(page.lock.acting).toBe(true);
  });

  test('keeps no call that ends meanwhile', async () => {
    const locks = new Locks();
    await new Asking(locks).start();
    const two = await new Asking(locks).start();
    two.end.abort();
    await settle();
    expect(two.outcome).toEqual(failed('aborted'));
  });

  test('is waited for before there is anything to ask, until whoever waits gives up', async () => {
    const locks = new Locks();
    const one = await new Asking(locks).start();
    const two = new Asking(locks);
    const [acts, givenUp] = [two.lock.acts(two.end.signal), new AbortController()];
    const gaveUp = two.lock.acts(givenUp.signal);
    givenUp.abort();
    expect([await stateOf(acts), await stateOf(gaveUp)]).toEqual(['pending', 'fulfilled']);
    one.lock.rest();
    expect(await stateOf(acts)).toBe('fulfilled');
    expect(two.lock.acting).toBe(true);
  });

  test.each([
    ['there are no locks', null],
    ['they may not be used', { request: () => Promise.reject(new DOMException('no', 'SecurityError')) }],
  ])('is not needed where %s', async (_why, locks) => {
    const { lock } = await new Asking(locks).start();
    expect(lock.acting).toBe(true);
  });

  test('brings a generation, unless that cannot be stored', async () => {
    const { lock } = await new Asking(new Locks(), false, async () => 7).start();
    expect(lock.generation).toBe(7);
    lock.rest();
    expect(lock.generation).toBeNull();
    const unstored = await new Asking(new Locks(), false, () => Promise.reject(new Error('full'))).start();
    expect([unstored.lock.acting, unstored.lock.generation]).toEqual([true, null]);
  });
});
