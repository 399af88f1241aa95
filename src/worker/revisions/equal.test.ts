import { describe, expect, test } from 'vitest';
import { isEqual } from './equal.ts';

describe('two bodies', () => {
  test.each([0, 1, 7, 8, 9, 16, 27])('of %i bytes are equal as long as no byte differs', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index + 1);
    expect(isEqual(bytes, bytes.slice())).toBe(true);
    for (let index = 0; index < length; index += 1) {
      expect(isEqual(bytes, bytes.with(index, 0)), `but for byte ${index}`).toBe(false);
    }
  });

  test('of different lengths are not', () => {
    expect(isEqual(new Uint8Array(8), new Uint8Array(16))).toBe(false);
    expect(isEqual(new Uint8Array(8), new Uint8Array(9))).toBe(false);
  });
});
