import { expect, test } from 'vitest';
import { browserSystem } from './browser-system.ts';
import { digestInParts, PART } from './sha256.ts';

const { digest } = browserSystem();

/** How much was digested at once, with 0 for a pause, and what that came to. */
async function play(size: number, change?: number): Promise<readonly [sizes: number[], result: string]> {
  const bytes = new Uint8Array(size);
  if (change !== undefined) bytes[change] = 1;
  const sizes: number[] = [];
  const result = await digestInParts(bytes, {
    digest: (part) => {
      sizes.push(part.byteLength);
      return digest(part);
    },
    pause: async () => void sizes.push(0),
  });
  return [sizes, result];
}

test('a short body is digested at once', async () => {
  expect(await play(PART)).toEqual([[PART], await digest(new Uint8Array(PART))]);
});

test('of a long one no more than a part is digested at once', async () => {
  const [sizes] = await play(2 * PART + 1);
  expect(sizes.slice(0, 6)).toEqual([0, PART, 0, PART, 0, 1]);
});

test.each([0, PART - 1, PART, 2 * PART])('every byte counts: %i', async (change) => {
  const [[, before], [, after]] = [await play(2 * PART + 1), await play(2 * PART + 1, change)];
  expect(after).not.toBe(before);
});
