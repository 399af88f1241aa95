import { describe, expect, test } from 'vitest';
import { newLineage } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { AnswerOrder } from './record.ts';
import type { Novelty } from './record.ts';

/** What each of these ticks is in this order: such as `a3` (lineage a, number 3) or `-` (not stored). */
function judged(...revisions: readonly string[]): Novelty[] {
  const order = new AnswerOrder();
  return revisions.map((text) => taken(order, text, null));
}

/** Those of them that are shown. */
function shown(...revisions: readonly string[]): string {
  const novelties = judged(...revisions);
  return revisions.filter((_, index) => novelties[index] === 'news').join(' ');
}

function taken(order: AnswerOrder, text: string, call: number | null): Novelty {
  const ordered = { revision: revisionOf(text), call };
  const novelty = order.judge(ordered);
  if (novelty !== 'older') order.take(ordered);
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

test('a younger lineage is news, whatever its number, and an older one is not, seen before or never', () => {
  expect(shown('a5', 'b1', 'a6', 'b2', 'd1', 'a7', 'b3', 'c9', 'd2')).toBe('a5 b1 b2 d1 d2');
  expect(judged('b1', 'a6')).toEqual(['news', 'older']);
});

test('what is not stored is always news; after it the newest is shown again, but none older', () => {
  expect(judged('a2', '-', '-', 'a1', 'a2', 'a2')).toEqual(['news', 'news', 'news', 'older', 'news', 'same']);
});

describe('of calls', () => {
  test('an earlier one that is answered later is older, whatever its revision', () => {
    const order = new AnswerOrder();
    expect(taken(order, 'a1', 2)).toBe('news');
    expect(taken(order, 'a2', 1)).toBe('older');
    expect(taken(order, '-', 1)).toBe('older');
    expect(order.isLate(1)).toBe(true);
  });

  test('a tick has no place among them but by its revision', () => {
    const order = new AnswerOrder();
    taken(order, 'a2', 2);
    expect(taken(order, 'a3', null)).toBe('news');
    expect(taken(order, 'a4', 1)).toBe('older');
    expect(taken(order, 'a4', 3)).toBe('news');
  });

  test('the answer that follows a preliminary one is not late', () => {
    const order = new AnswerOrder();
    taken(order, 'a1', 1);
    expect(taken(order, 'a2', 1)).toBe('news');
  });
});

test('what is only judged is not remembered', () => {
  const order = new AnswerOrder();
  order.take({ revision: revisionOf('a2'), call: null });
  expect(order.judge({ revision: revisionOf('a3'), call: null })).toBe('news');
  expect(order.judge({ revision: revisionOf('a2'), call: null })).toBe('same');
});
