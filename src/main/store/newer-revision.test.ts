import { expect, test } from 'vitest';
import { newLineage } from '../../shared/lineage.ts';
import type { Revision } from '../../shared/outcome.ts';
import { Newest } from './newer-revision.ts';
import type { Novelty } from './newer-revision.ts';

/** What each of these revisions is in this order: such as `a3` (line a, number 3) or `-` (none). */
function judged(...revisions: readonly string[]): Novelty[] {
  const newest = new Newest();
  return revisions.map((text) => taken(newest, '/state', revisionOf(text)));
}

/** Those of them that are shown. */
function shown(...revisions: readonly string[]): string {
  const novelties = judged(...revisions);
  return revisions.filter((_, index) => novelties[index] === 'news').join(' ');
}

function taken(newest: Newest, url: string, revision: Revision | null): Novelty {
  const novelty = newest.judge(url, revision);
  if (novelty === 'news') newest.take(url, revision);
  return novelty;
}

function revisionOf(text: string): Revision | null {
  if (text === '-') return null;
  const lineage = newLineage(text.charCodeAt(0), text.charAt(0));
  return { lineage, number: Number(text.slice(1)) };
}

test('a higher number is news, also where some are left out', () => {
  expect(shown('a1', 'a2', 'a9')).toBe('a1 a2 a9');
});

test('what comes twice is the same, and what comes late is older', () => {
  expect(judged('a2', 'a2', 'a1', 'a3', 'a2', 'a3')).toEqual([
    'news',
    'same',
    'older',
    'news',
    'older',
    'same',
  ]);
});

test('a younger line is news, whatever its number, and an older one is not, seen before or never', () => {
  expect(shown('a5', 'b1', 'a6', 'b2', 'd1', 'a7', 'b3', 'c9', 'd2')).toBe('a5 b1 b2 d1 d2');
  expect(judged('b1', 'a6')).toEqual(['news', 'older']);
});

test('what is not stored is always news; after it the newest is shown again, but none older', () => {
  expect(judged('a2', '-', '-', 'a1', 'a2', 'a2')).toEqual(['news', 'news', 'news', 'older', 'news', 'same']);
});

test('revisions of another URL are counted apart', () => {
  const newest = new Newest();
  expect(taken(newest, '/one', revisionOf('b5'))).toBe('news');
  expect(taken(newest, '/two', revisionOf('b1'))).toBe('news');
  expect(taken(newest, '/one', revisionOf('a5'))).toBe('news');
});

test('what was not stored at another URL leaves nothing to compare with', () => {
  const newest = new Newest();
  taken(newest, '/one', revisionOf('b5'));
  taken(newest, '/two', null);
  expect(taken(newest, '/two', revisionOf('a1'))).toBe('news');
});

test('what is only judged is not remembered', () => {
  const newest = new Newest();
  newest.take('/state', revisionOf('a2'));
  expect(newest.judge('/state', revisionOf('a3'))).toBe('news');
  expect(newest.judge('/state', revisionOf('a2'))).toBe('same');
});
