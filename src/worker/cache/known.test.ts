import { expect, test } from 'vitest';
import { KeyFilter, Known } from './known.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

function stored(key: string, n = 1): StoredResponse {
  const revision = { lineage: '1-line', number: n };
  return { key, url: key, status: 200, headers: [], receivedAt: 0, digest: '', size: 0, revision };
}

function url(n: number): string {
  return ` https://page.example/photos/${n}?size=medium`;
}

test('a key that was put in is never said to be absent, and of 65,536 fewer than one in 100 others is not', () => {
  const filter = new KeyFilter();
  for (let n = 0; n < 65_536; n += 1) filter.add(url(n));
  let wrong = 0;
  for (let n = 0; n < 65_536; n += 1) if (!filter.mayHave(url(n))) throw new Error(`${n} is missing`);
  for (let n = 100_000; n < 110_000; n += 1) if (filter.mayHave(url(n))) wrong += 1;
  expect(wrong).toBeLessThan(100);
});

test('nothing is absent before all keys are learned; then what is neither stored nor noted is', () => {
  const known = new Known();
  expect([known.isToLearn, known.isAbsent('a')]).toEqual([true, false]);
  const learning = known.beginToLearn();
  learning.add('a');
  known.note(stored('b'));
  expect([known.isToLearn, known.isAbsent('c')]).toEqual([false, false]);
  known.endLearning(learning, true);
  expect(['a', 'b', 'c'].map((key) => known.isAbsent(key))).toEqual([false, false, true]);
});

test('where they cannot be learned that is tried again', () => {
  const known = new Known();
  known.endLearning(known.beginToLearn(), false);
  expect([known.isToLearn, known.isAbsent('a')]).toEqual([true, false]);
});

test('after many keys they are learned anew, and those of now are known all the while', () => {
  const known = new Known();
  known.endLearning(known.beginToLearn(), true);
  for (let n = 0; n < 200_000; n += 1) known.note(stored(url(n)));
  expect(known.isToLearn).toBe(true);
  const learning = known.beginToLearn();
  known.note(stored('new'));
  learning.add(url(199_999));
  known.endLearning(learning, true);
  expect([known.isToLearn, known.isAbsent('new'), known.isAbsent(url(199_999))]).toEqual([
    false,
    false,
    false,
  ]);
  expect(known.isAbsent(url(1))).toBe(true);
  expect([known.get(url(0)), known.get('new')]).toEqual([null, stored('new')]);
});

test('what is lost is known no more, unless something else was noted since', () => {
  const known = new Known();
  known.note(stored('a', 1));
  known.note(stored('a', 2));
  known.lose(stored('a', 1));
  expect(known.get('a')).toEqual(stored('a', 2));
  known.lose(stored('a', 2));
  expect(known.get('a')).toBeNull();
});
