import { describe, expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { call } from './notice.fixture.ts';
import { settledNotice } from './notice.ts';
import type { Notice } from './notice.ts';
import { Seen } from './ledger.ts';

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
  judge(seen, answered({ lineage: 'a', number: 1 }, true));
  expect(judge(seen, answered(revision, false)).changed).toBe(changed);
});

test('what the page has not heard of before is as the worker says', () => {
  const seen = new Seen();
  expect(judge(seen, answered({ lineage: 'a', number: 7 }, false)).changed).toBe(false);
  expect(judge(seen, answered({ lineage: 'b', number: 7 }, false, '/other')).changed).toBe(false);
  expect(judge(seen, answered(null, true)).changed).toBe(true);
});

test('after an answer that was not stored, another that another page had stored is changed for the page', () => {
  const seen = new Seen();
  const [one, other] = [[1], [2]];
  judge(seen, answered(null, true, '/photos', one));
  expect(judge(seen, answered({ lineage: 'a', number: 1 }, false, '/photos', other)).changed).toBe(true);
  expect(judge(seen, answered({ lineage: 'a', number: 1 }, false, '/photos', other)).changed).toBe(false);
});

describe('of a long answer', () => {
  test('that no schema has made anything of, no row is looked at', () => {
    const seen = new Seen();
    const looks = { count: 0 };
    for (const number of [1, 2])
      judge(seen, answered({ lineage: 'a', number }, true, '/photos', counting(looks)));
    expect(looks.count).toBe(0);
  });

  test('that a schema has made another of, the rows are shared with those before', () => {
    const seen = new Seen();
    const told = [1, 2].map((number) =>
      seen.judge(answered({ lineage: 'a', number }, true, '/photos', [{ id: 1 }, { id: 2 + number }]), []),
    );
    const [first, second] = told.map(({ response }) => Object(response)[0]);
    expect(second).toBe(first);
  });
});

/** One row that counts how often its name is looked at. */
function counting(looks: { count: number }): readonly unknown[] {
  return [
    {
      get id(): number {
        looks.count += 1;
        return 1;
      },
    },
  ];
}

function judge(seen: Seen, notice: Notice): Notice {
  return seen.judge(notice, notice.response);
}
