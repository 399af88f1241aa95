import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Lookout } from './lookout.ts';
import type { Sight } from './lookout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a look that something hurries while it is under way is followed by another after 5 s', async () => {
  let looks = 0;
  const asked: ((sight: Sight) => void)[] = [];
  const greet = (): Promise<Sight> => {
    looks += 1;
    return new Promise((resolve) => void asked.push(resolve));
  };
  const lookout = new Lookout({ ready: async () => {}, greet, found: () => {} });
  lookout.start();
  for (const wait of [5_000, 5_000, 10_000, 20_000]) {
    await vi.advanceTimersByTimeAsync(wait);
    if (wait < 20_000) asked.at(-1)?.('silent');
  }
  expect(looks).toBe(4);
  lookout.hurry();
  asked.at(-1)?.('silent');
  await vi.advanceTimersByTimeAsync(4_999);
  expect(looks).toBe(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(looks).toBe(5);
});
