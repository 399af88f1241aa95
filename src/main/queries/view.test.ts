import { describe, expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { call } from '../resource/notice.fixture.ts';
import { settledNotice } from '../resource/notice.ts';
import type { Notice } from '../resource/notice.ts';
import { ActionView } from './view.ts';

function answered(revision: Revision | null, changed: boolean, value: unknown = []): Notice {
  return settledNotice(call(1), {
    kind: 'answered',
    answer: { status: 200, headers: [], body: { kind: 'value', value } },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed,
    revision,
    request: { method: 'GET', url: '/photos', headers: [] },
  });
}

test.each([
  ['the same revision again', { lineage: 'a', number: 1 }, false],
  ['a revision that another page had stored', { lineage: 'a', number: 2 }, true],
  ['another lineage', { lineage: 'b', number: 1 }, true],
])('%s, unchanged in the worker, is changed for the action: %s', (_, revision, changed) => {
  const view = new ActionView();
  judge(view, answered({ lineage: 'a', number: 1 }, true));
  expect(judge(view, answered(revision, false)).changed).toBe(changed);
});

test('what an action has not told of before is as the worker says', () => {
  const view = new ActionView();
  expect(judge(view, answered({ lineage: 'a', number: 7 }, false)).changed).toBe(false);
  expect(judge(new ActionView(), answered(null, true)).changed).toBe(true);
});

test('after an answer that was not stored, another that another page had stored is changed for the action', () => {
  const view = new ActionView();
  const [one, other] = [[1], [2]];
  judge(view, answered(null, true, one));
  expect(judge(view, answered({ lineage: 'a', number: 1 }, false, other)).changed).toBe(true);
  expect(judge(view, answered({ lineage: 'a', number: 1 }, false, other)).changed).toBe(false);
});

describe('of a long answer', () => {
  test('that no schema has made anything of, no row is looked at', () => {
    const view = new ActionView();
    const looks = { count: 0 };
    for (const number of [1, 2]) judge(view, answered({ lineage: 'a', number }, true, counting(looks)));
    expect(looks.count).toBe(0);
  });

  test('that a schema has made another of, the rows are shared with those before', () => {
    const view = new ActionView();
    const told = [1, 2].map((number) =>
      view.judge(answered({ lineage: 'a', number }, true, [{ id: 1 }, { id: 2 + number }]), []),
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

function judge(view: ActionView, notice: Notice): Notice {
  return view.judge(notice, notice.response);
}
