import { describe, expect, test, vi } from 'vitest';
import { settle, VirtualClock } from './virtual-clock.fixture.ts';
import { aborted, Bell, soon } from './waiting.ts';

/** Notes the names of promises as they are fulfilled. */
class Woken {
  readonly names: string[] = [];

  add(name: string, promise: Promise<void>): void {
    void promise.then(() => this.names.push(name));
  }
}

describe('a bell', () => {
  test('wakes all who wait when it is rung, in the order in which they came', async () => {
    const [bell, woken, never] = [new Bell(), new Woken(), new AbortController().signal];
    for (const name of ['a', 'b', 'c']) woken.add(name, bell.heard(never));
    await settle();
    expect(woken.names).toEqual([]);
    bell.ring();
    woken.add('late', bell.heard(never));
    await settle();
    expect(woken.names).toEqual(['a', 'b', 'c']);
  });

  test('wakes one whose signal aborts, at once where it has aborted before', async () => {
    const [bell, woken, end] = [new Bell(), new Woken(), new AbortController()];
    woken.add('a', bell.heard(end.signal));
    woken.add('b', bell.heard(new AbortController().signal));
    end.abort();
    woken.add('c', bell.heard(end.signal));
    await settle();
    expect(woken.names.toSorted()).toEqual(['a', 'c']);
  });

  test('wakes one who waits for an instant then, or before when it is rung', async () => {
    const [bell, woken, clock] = [new Bell(), new Woken(), new VirtualClock()];
    woken.add('soon', bell.until(clock, clock.now() + 100));
    woken.add('later', bell.until(clock, clock.now() + 200));
    await clock.advance(100);
    expect(woken.names).toEqual(['soon']);
    bell.ring();
    await settle();
    expect(woken.names).toEqual(['soon', 'later']);
  });
});

test('signals that do not abort first keep no listener', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = new Set<unknown>();
  first.signal.addEventListener = (_type: string, listener: unknown): void => void listeners.add(listener);
  first.signal.removeEventListener = (_type: string, listener: unknown): void =>
    void listeners.delete(listener);
  const waited = aborted(first.signal, second.signal);
  expect(listeners.size).toBe(1);
  second.abort();
  await waited;
  expect(listeners.size).toBe(0);
});

describe('what is wanted soon', () => {
  test('is had without a timer where it is known', async () => {
    const clock = new VirtualClock();
    const sleep = vi.spyOn(clock, 'sleep');
    expect(await soon(clock, 100, Promise.resolve('known'))).toBe('known');
    expect(await soon(clock, 100, Promise.resolve(null))).toBe(null);
    expect(sleep).not.toHaveBeenCalled();
  });

  test('is waited for as long as was said, and no longer', async () => {
    const clock = new VirtualClock();
    const after = (milliseconds: number): Promise<string | null> =>
      soon(
        clock,
        100,
        clock.sleep(milliseconds).then(() => 'there'),
      );
    const all = Promise.all([after(99), after(101)]);
    await clock.advance(200);
    expect(await all).toEqual(['there', null]);
  });
});
