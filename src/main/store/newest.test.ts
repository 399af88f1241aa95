import { expect, test } from 'vitest';
import { newLine } from '../../shared/line.ts';
import { Newest } from './newest.ts';

/** Takes revisions such as `a3` (line a, number 3) or `-` (none) in this order; returns which were shown. */
function shown(...revisions: readonly string[]): string {
  const newest = new Newest();
  return revisions.filter((text) => newest.take('/state', revisionOf(text))).join(' ');
}

function revisionOf(text: string): { readonly line: string; readonly n: number } | null {
  if (text === '-') return null;
  const line = newLine(text.charCodeAt(0), text.charAt(0));
  return { line, n: Number(text.slice(1)) };
}

test('a higher number is news, also where some are left out', () => {
  expect(shown('a1', 'a2', 'a9')).toBe('a1 a2 a9');
});

test('what comes twice is no news, nor is what comes late', () => {
  expect(shown('a2', 'a2', 'a1', 'a3', 'a2', 'a3')).toBe('a2 a3');
});

test('a younger line is news, whatever its number, and an older one is not, seen before or never', () => {
  expect(shown('a5', 'b1', 'a6', 'b2', 'd1', 'a7', 'b3', 'c9', 'd2')).toBe('a5 b1 b2 d1 d2');
});

test('what is not stored is always news; after it the newest is shown again, but none older', () => {
  expect(shown('a2', '-', '-', 'a1', 'a2', 'a2')).toBe('a2 - - a2');
});

test('revisions of another URL are counted apart', () => {
  const newest = new Newest();
  expect(newest.take('/one', { line: 'a', n: 5 })).toBe(true);
  expect(newest.take('/two', { line: 'b', n: 1 })).toBe(true);
  expect(newest.take('/one', { line: 'a', n: 5 })).toBe(true);
});
