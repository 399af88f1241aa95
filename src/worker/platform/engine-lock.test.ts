import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { EngineLock } from './engine-lock.ts';
import type { EngineLockPorts } from './engine-lock.ts';
import { PlayedLocks } from './locks.fixture.ts';
import { failed } from '../contracts/outcome.fixture.ts';
import { StaleGeneration } from './database-deadline.ts';
import { settle, stateOf } from './virtual-clock.fixture.ts';

/** An engine with one loop's request out, which ends with its signal. */
class Asking {
  readonly lock: EngineLock;
  readonly end = new AbortController();
  asked = 0;
  outcome: unknown = null;

  constructor(
    locks: EngineLockPorts['locks'],
    steals = false,
    raise: EngineLockPorts['raise'] = async () => 1,
  ) {
    this.lock = new EngineLock({ locks, name: 'engine:default', steals, raise, stolen: () => {} });
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
    const locks = new PlayedLocks();
    const { lock } = new Asking(locks);
    lock.rest();
    lock.resume();
    await settle();
    expect(lock.acting).toBe(false);
  });

  test('is one engine’s at a time: a page waits until it is given back', async () => {
    const locks = new PlayedLocks();
    const one = await new Asking(locks).start();
    const two = await new Asking(locks).start();
    expect([one.lock.acting, two.lock.acting]).toEqual([true, false]);
    expect([one.asked, two.asked]).toEqual([1, 0]);
    one.lock.rest();
    await settle();
    expect([one.lock.acting, two.lock.acting]).toEqual([false, true]);
    expect([one.asked, two.asked]).toEqual([1, 1]);
  });

  test('is given back by a page that has nothing to run any more, and waited for again when it has', async () => {
    const locks = new PlayedLocks();
    const one = await new Asking(locks).start();
    const two = await new Asking(locks).start();
    one.end.abort();
    one.lock.release();
    await settle();
    expect([one.lock.acting, two.lock.acting, one.asked]).toEqual([false, true, 1]);
    const again = one.lock.acts(new AbortController().signal);
    expect(await stateOf(again)).toBe('pending');
    two.lock.release();
    expect(await stateOf(again)).toBe('fulfilled');
    expect([one.lock.acting, two.lock.acting]).toEqual([true, false]);
  });

  test('is given back for as long as it takes where there is something to run at once', async () => {
    const { lock } = await new Asking(new PlayedLocks()).start();
    lock.release();
    const again = lock.acts(new AbortController().signal);
    expect(await stateOf(again)).toBe('fulfilled');
    expect(lock.acting).toBe(true);
  });

  test('is kept by a service worker that has nothing to run: it would not get it back', async () => {
    const locks = new PlayedLocks();
    const worker = await new Asking(locks, true).start();
    const page = await new Asking(locks).start();
    worker.lock.release();
    await settle();
    expect([worker.lock.acting, page.lock.acting]).toEqual([true, false]);
  });

  test('is taken by a service worker; what the page had out is cut, and asked again in the page’s next term', async () => {
    const locks = new PlayedLocks();
    const page = await new Asking(locks).start();
    const worker = await new Asking(locks, true).start();
    expect([page.lock.acting, worker.lock.acting]).toEqual([false, true]);
    expect([page.asked, page.outcome]).toEqual([1, null]);
    worker.lock.rest();
    await settle();
    expect([page.lock.acting, page.asked]).toEqual([true, 2]);
  });

  test('is not taken back by a worker that lost it to the next one', async () => {
    const locks = new PlayedLocks();
    const old = await new Asking(locks, true).start();
    const next = await new Asking(locks, true).start();
    expect([old.lock.acting, next.lock.acting]).toEqual([false, true]);
  });

  test('is waited for again after the back/forward cache', async () => {
    const locks = new PlayedLocks();
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
    const locks = new PlayedLocks();
    await new Asking(locks).start();
    const two = await new Asking(locks).start();
    two.end.abort();
    await settle();
    expect(two.outcome).toEqual(failed('aborted'));
  });

  test('is waited for before there is anything to ask, until whoever waits gives up', async () => {
    const locks = new PlayedLocks();
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
    const { lock } = await new Asking(new PlayedLocks(), false, async () => 7).start();
    expect(lock.generation).toBe(7);
    lock.rest();
    expect(lock.generation).toBeNull();
    const unstored = await new Asking(new PlayedLocks(), false, () =>
      Promise.reject(new Error('full')),
    ).start();
    expect([unstored.lock.acting, unstored.lock.generation]).toEqual([true, null]);
  });
});

/** A stored generation, and a record that only the acting engine may write. */
class Stored {
  generation = 0;
  readonly written: string[] = [];
  /** Holds back what is raised next, until it is let go. */
  late: Promise<void> = Promise.resolve();

  readonly raise = async (above: number): Promise<number> => {
    await this.late;
    this.generation = Math.max(this.generation, above) + 1;
    return this.generation;
  };

  write(lock: EngineLock, read: number | null, what: string): Promise<void> {
    return lock.write(read, async (own) => {
      if (own !== this.generation) throw new StaleGeneration(own, this.generation);
      this.written.push(what);
    });
  }
}

describe('what only the acting engine writes', () => {
  test('is written again where the generation was deleted, in one above all before', async () => {
    const stored = new Stored();
    stored.generation = 6;
    const { lock } = await new Asking(new PlayedLocks(), true, stored.raise).start();
    const read = lock.generation;
    stored.generation = 0;
    await Promise.all([stored.write(lock, read, 'a'), stored.write(lock, read, 'b')]);
    await stored.write(lock, read, 'c');
    expect([stored.written, stored.generation, lock.generation]).toEqual([['a', 'b', 'c'], 8, 8]);
  });

  test('is written again where an engine that was robbed has raised the generation late', async () => {
    const [locks, stored] = [new PlayedLocks(), new Stored()];
    const letGo = new AbortController();
    stored.late = new Promise((resolve) => letGo.signal.addEventListener('abort', () => resolve()));
    const robbed = await new Asking(locks, false, stored.raise).start();
    stored.late = Promise.resolve();
    const { lock } = await new Asking(locks, true, stored.raise).start();
    const read = lock.generation;
    letGo.abort();
    await settle();
    expect([read, stored.generation, robbed.lock.acting]).toEqual([1, 2, false]);
    await stored.write(lock, read, 'news');
    expect([stored.written, lock.generation]).toEqual([['news'], 3]);
  });

  test('is not written by an engine that was robbed, though it has not heard of it yet', async () => {
    const [locks, stored] = [new PlayedLocks(), new Stored()];
    const { lock } = await new Asking(locks, false, stored.raise).start();
    const read = lock.generation;
    const thief = new Asking(locks, true, stored.raise);
    const writing = lock.write(read, async (own) => {
      void thief.start();
      stored.generation += 1;
      throw new StaleGeneration(own, stored.generation);
    });
    await expect(writing).rejects.toThrow(StaleGeneration);
    expect(stored.written).toEqual([]);
  });

  test.each(['rests', 'acts again'])('is not what was read in a term before: the engine %s', async (now) => {
    const stored = new Stored();
    const { lock } = await new Asking(new PlayedLocks(), false, stored.raise).start();
    const read = lock.generation;
    lock.rest();
    await settle();
    if (now === 'acts again') lock.resume();
    await settle();
    expect(lock.acting).toBe(now === 'acts again');
    await expect(stored.write(lock, read, 'old')).rejects.toThrow(StaleGeneration);
    await expect(stored.write(lock, null, 'of nobody')).rejects.toThrow(StaleGeneration);
  });

  test('waits for a generation where none could be had at first', async () => {
    const stored = new Stored();
    let isBroken = true;
    const raise = async (above: number): Promise<number> => {
      if (isBroken) throw new Error('broken disk');
      return stored.raise(above);
    };
    const { lock } = await new Asking(new PlayedLocks(), false, raise).start();
    expect([lock.acting, lock.generation]).toEqual([true, null]);
    await expect(stored.write(lock, null, 'a')).rejects.toThrow('broken disk');
    isBroken = false;
    await stored.write(lock, null, 'b');
    expect([stored.written, lock.generation]).toEqual([['b'], 1]);
  });

  test('needs none where nothing is stored', async () => {
    const { lock } = await new Asking(new PlayedLocks(), false, async () => null).start();
    expect(await lock.write(null, async (own) => own)).toBeNull();
  });
});
