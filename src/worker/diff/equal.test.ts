import { describe, expect, test } from 'vitest';
import { finish } from './body.fixture.ts';
import { isEqual } from './byte-delta.ts';
import { STRIDE } from '../platform/giving-way.ts';

describe('two bodies', () => {
  test.each([0, 1, 7, 8, 9, 16, 27])('of %i bytes are equal as long as no byte differs', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index + 1);
    expect(finish(isEqual(bytes, bytes.slice()))).toBe(true);
    for (let index = 0; index < length; index += 1) {
      expect(finish(isEqual(bytes, bytes.with(index, 0))), `but for byte ${index}`).toBe(false);
    }
  });

  test('of different lengths are not', () => {
    expect(finish(isEqual(new Uint8Array(8), new Uint8Array(16)))).toBe(false);
    expect(finish(isEqual(new Uint8Array(8), new Uint8Array(9)))).toBe(false);
  });

  test.each([0, STRIDE - 1, STRIDE, 2 * STRIDE - 1, 2 * STRIDE, 2 * STRIDE + 2])(
    'that are long differ where byte %i does',
    (index) => {
      const bytes = new Uint8Array(2 * STRIDE + 3).fill(7);
      expect(finish(isEqual(bytes, bytes.slice()))).toBe(true);
      expect(finish(isEqual(bytes, bytes.with(index, 0)))).toBe(false);
    },
  );

  test('that are long may be left off after every stride', () => {
    const bytes = new Uint8Array(3 * STRIDE);
    expect([...isEqual(bytes, bytes.slice())]).toHaveLength(3);
  });
});
