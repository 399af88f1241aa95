import { describe, expect, test, vi } from 'vitest';
import { LifeLock } from './engine-lock.ts';
import { settle } from './virtual-clock.fixture.ts';

/** One lock that is granted when a test says so. */
class Locks {
  readonly names: string[] = [];
  /** Whether it was given back. */
  readonly givenBack = vi.fn<() => void>();
  grant: () => void = () => {};

  readonly request: LockManager['request'] = async (
    name: string,
    ...rest: readonly unknown[]
  ): Promise<never> => {
    this.names.push(name);
    await new Promise<void>((resolve) => (this.grant = resolve));
    const hold = rest.at(-1);
    if (typeof hold === 'function') await hold(null);
    this.givenBack();
    throw new Error('it was given back');
  };
}

async function granted(lock: LifeLock): Promise<unknown> {
  let name: unknown = 'not yet';
  void lock.granted.then((value) => (name = value));
  await settle();
  return name;
}

describe('the lock of one life', () => {
  test('is known by its name once it is held, and held for good', async () => {
    const locks = new Locks();
    const lock = new LifeLock({ locks }, 'life 1');
    expect(await granted(lock)).toBe('not yet');
    locks.grant();
    expect(await granted(lock)).toBe('life 1');
    expect(locks.names).toEqual(['life 1']);
    expect(locks.givenBack).not.toHaveBeenCalled();
  });

  test('is given back when that life is over, and stays known', async () => {
    const locks = new Locks();
    const lock = new LifeLock({ locks }, 'life 1');
    locks.grant();
    await lock.granted;
    lock.release();
    await settle();
    expect(locks.givenBack).toHaveBeenCalledTimes(1);
    expect(await granted(lock)).toBe('life 1');
  });

  test('is not held at all where the life is over before it is granted', async () => {
    const locks = new Locks();
    const lock = new LifeLock({ locks }, 'life 1');
    lock.release();
    locks.grant();
    await settle();
    expect(locks.givenBack).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['there are none', null],
    ['they may not be used', { request: () => Promise.reject(new DOMException('no', 'SecurityError')) }],
  ])('is none where %s: nobody waits for it', async (_why, locks) => {
    const lock = new LifeLock({ locks }, 'life 1');
    expect(await granted(lock)).toBeNull();
    expect(() => lock.release()).not.toThrow();
  });
});
