import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { containerAt } from './container.ts';
import { readDocument } from './validate.ts';

describe('a list of many short rows', () => {
  test.each([
    [1_000, 1_000],
    [1_001, null],
    [5_000, null],
  ])('is cut as long as where they lie takes no more than it may: %i rows', (rows, expected) => {
    const container = last(containerAt(listOf(rows), 0, 12_000));
    expect(container?.table.count ?? null).toBe(expected);
  });

  test('is read no further than what can be kept of it', () => {
    const fits = Math.floor(LIMITS.bases / 14) - 1;
    expect(last(readDocument(listOf(fits)))?.table.count).toBe(fits);
    expect(last(readDocument(listOf(fits + 2)))).toBeNull();
  });
});

test.each(['', 'a', 'ab', 'abc'])(
  'a text that is cut short after a backslash is no container: "%s',
  (text) => {
    const cut = `["${'long '.repeat(20)}","${text}\\`;
    expect(last(containerAt(new TextEncoder().encode(cut), 0))).toBeNull();
  },
);

/** Each with its comma takes two bytes. */
function listOf(rows: number): Uint8Array {
  const bytes = new Uint8Array(2 * rows + 1).fill(0x2c);
  bytes[0] = 0x5b;
  for (let row = 0; row < rows; row += 1) bytes[2 * row + 1] = 0x31;
  bytes[2 * rows] = 0x5d;
  return bytes;
}

/** What a generator comes to. */
function last<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
