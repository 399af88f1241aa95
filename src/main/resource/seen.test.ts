import { expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { call } from './notice.fixture.ts';
import { settledNotice } from './notice.ts';
import type { Notice } from './notice.ts';
import { Seen } from './seen.ts';

function answered(revision: Revision | null, changed: boolean, url = '/photos', value: unknown = []): Notice {
  return settledNotice(call(1, { action: 'list', template: url, params: {} }), {
    kind: 'answered',
    answer: { status: 200, headers: [], body: { kind: 'value', value } },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed,
    revision,
    request: { method: 'GET', url, headers: [] },
  });
}

test.each([
  ['the same revision again', { lineage: 'a', number: 1 }, false],
  ['a revision that another page had stored', { lineage: 'a', number: 2 }, true],
  ['another line', { lineage: 'b', number: 1 }, true],
])('%s, unchanged in the worker, is changed for the page: %s', (_, revision, changed) => {
  const seen = new Seen();
  seen.judge(answered({ lineage: 'a', number: 1 }, true), null);
  expect(seen.judge(answered(revision, false), null).changed).toBe(changed);
});

test('what the page has not heard of before is as the worker says', () => {
  const seen = new Seen();
  expect(seen.judge(answered({ lineage: 'a', number: 7 }, false), null).changed).toBe(false);
  expect(seen.judge(answered({ lineage: 'b', number: 7 }, false, '/other'), null).changed).toBe(false);
  expect(seen.judge(answered(null, true), null).changed).toBe(true);
});

test('after an answer that was not stored, another that another page had stored is changed for the page', () => {
  const seen = new Seen();
  const [one, other] = [[1], [2]];
  seen.judge(answered(null, true, '/photos', one), null);
  expect(seen.judge(answered({ lineage: 'a', number: 1 }, false, '/photos', other), null).changed).toBe(true);
  expect(seen.judge(answered({ lineage: 'a', number: 1 }, false, '/photos', other), null).changed).toBe(
    false,
  );
});
