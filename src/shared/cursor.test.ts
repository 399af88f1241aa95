import { expect, test } from 'vitest';
import { canCarry } from './cursor.ts';

test('a query carries all text but half a surrogate pair, a header one byte a character', () => {
  const [query, header] = [
    { kind: 'query', name: 'a' },
    { kind: 'header', name: 'A' },
  ] as const;
  expect(['☃\n', '😀', '\ud83d'].map((each) => canCarry(query, each))).toEqual([true, true, false]);
  expect(['é', '☃', 'a\nb'].map((each) => canCarry(header, each))).toEqual([true, false, false]);
});
