import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { after, Late, within } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The page is frozen: its timers come so much later. */
function freeze(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

describe('a deadline', () => {
  test('is over when its time is', async () => {
    const late = within(2_000, 'It', new Promise(() => {}));
    await Promise.all([
      expect(late).rejects.toThrow('It took longer than 2000 ms'),
      vi.advanceTimersByTimeAsync(2_000),
    ]);
  });

  test('that ends while the page is frozen leaves 1 s for what came meanwhile', async () => {
    const acted = vi.fn<() => void>();
    after(10_000, acted);
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(acted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(999);
    expect(acted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(acted).toHaveBeenCalledOnce();
  });

  test('of a moment leaves no more than that moment', async () => {
    const acted = vi.fn<() => void>();
    after(100, acted);
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(200);
    expect(acted).toHaveBeenCalledOnce();
  });

  test('comes however late the timers of a hidden page are', async () => {
    const acted = vi.fn<() => void>();
    after(10_000, acted);
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(10_000);
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(acted).toHaveBeenCalledOnce();
  });

  test('that is of no interest any more never comes, nor what is left of it', async () => {
    const acted = vi.fn<() => void>();
    const [stopBefore, stopAfter] = [after(10_000, acted), after(10_000, acted)];
    stopBefore();
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(10_000);
    stopAfter();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(acted).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of a promise that has come meanwhile is met', async () => {
    const answer = within(2_000, 'It', new Promise((resolve) => setTimeout(() => resolve('came'), 2_001)));
    freeze(60_000);
    await vi.advanceTimersByTimeAsync(2_001);
    await expect(answer).resolves.toBe('came');
    expect(new Late('It', 2_000).timeout).toBe(2_000);
  });
});
