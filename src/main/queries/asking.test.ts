import { describe, expect, test } from 'vitest';
import { isWorthAsking } from './records.ts';
import type { AskingRule, Occasion, Standing } from './records.ts';

const RULE: AskingRule = { enabled: true, staleTime: 0, refreshOn: {} };
const ANSWERED: Standing = { hasData: true, isFetching: false, answeredAt: 1_000 };
const NOTHING: Standing = { hasData: false, isFetching: false, answeredAt: null };
const OCCASIONS: readonly Occasion[] = ['mount', 'focus', 'online', 'identity'];

function asks(rule: Partial<AskingRule>, standing: Partial<Standing>, now = 5_000): Occasion[] {
  return OCCASIONS.filter((each) =>
    isWorthAsking(each, { ...RULE, ...rule }, { ...ANSWERED, ...standing }, now),
  );
}

test('a query that has an answer asks on every occasion, as far as it is told to', () => {
  expect(asks({}, {})).toEqual(OCCASIONS);
  expect(asks({ refreshOn: { mount: false } }, {})).toEqual(['focus', 'online', 'identity']);
  expect(asks({ refreshOn: { focus: false, online: false } }, {})).toEqual(['mount', 'identity']);
});

test('one that has none asks, whatever its occasions', () => {
  expect(asks({ refreshOn: { mount: false, focus: false, online: false } }, NOTHING)).toEqual(OCCASIONS);
});

test('a disabled one never asks, and one whose request is out asks no other', () => {
  expect(asks({ enabled: false }, NOTHING)).toEqual([]);
  expect(asks({}, { ...NOTHING, isFetching: true })).toEqual([]);
});

describe('within its stale time', () => {
  test.each([
    [5_999, ['identity']],
    [6_000, OCCASIONS],
  ])('at %d ms an answer of second 1 is asked for again on: %s', (now, occasions) => {
    expect(asks({ staleTime: 5_000 }, {}, now)).toEqual(occasions);
  });

  test('it asks where it has no answer', () => {
    expect(asks({ staleTime: Infinity }, NOTHING)).toEqual(OCCASIONS);
    expect(asks({ staleTime: Infinity }, {})).toEqual(['identity']);
  });
});
