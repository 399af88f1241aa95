import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '../development.ts';
import { appendRow, changeRow, prependRow, removeRow } from './rows.ts';
import { togetherOf } from './write.ts';
import type { OptimisticStep, OptimisticWrite } from './write.ts';

const NOTHING: OptimisticWrite = { action: 'a', params: {}, data: null, temporaryId: null, entry: null };

function write(wish: Partial<OptimisticWrite>): OptimisticWrite {
  return { ...NOTHING, ...wish };
}

const LIST = [
  { id: 1, title: 'Dawn' },
  { id: '2', title: 'Noon' },
];

test('a row is added at either end, with its temporary id', () => {
  const dusk = write({ data: { title: 'Dusk' }, temporaryId: 't' });
  expect(appendRow(LIST, dusk)).toEqual([...LIST, { title: 'Dusk', id: 't' }]);
  expect(prependRow(LIST, dusk)).toEqual([{ title: 'Dusk', id: 't' }, ...LIST]);
});

test('a row is changed and removed by its id, be it a number or a text', () => {
  const data = { title: 'Night' };
  expect(changeRow(LIST, write({ params: { id: '1' }, data }))).toEqual([{ id: 1, title: 'Night' }, LIST[1]]);
  expect(changeRow(LIST, write({ params: { id: '2' }, data }))).toEqual([
    LIST[0],
    { id: '2', title: 'Night' },
  ]);
  expect(removeRow(LIST, write({ params: { id: '1' } }))).toEqual([LIST[1]]);
});

test('a row that is changed by a form keeps its id as it is, be it a number or a text', () => {
  const form = write({ params: { id: '1' }, data: { id: '1', title: 'Night' } });
  expect(changeRow(LIST, form)).toEqual([{ id: 1, title: 'Night' }, LIST[1]]);
  const other = write({ params: { id: '1' }, data: { id: '3', _id: '1' } });
  expect(changeRow(LIST, other)).toEqual([{ id: '3', _id: '1', title: 'Dawn' }, LIST[1]]);
});

test.each([
  ['no such row', LIST, { params: { id: '3' }, data: { title: 'x' } }],
  ['no id', LIST, { data: { title: 'x' } }],
  ['no data', LIST, { params: { id: '1' } }],
  ['no list', { items: [] }, { params: { id: '1' }, data: { title: 'x' } }],
  ['nothing', null, { params: { id: '1' }, data: { title: 'x' } }],
])('the very model stays where there is %s', (_case, model, wish) => {
  expect(changeRow(model, write(wish))).toBe(model);
});

describe('the row whose `id`, `_id` or `key` is the parameter of that name', () => {
  const list = [
    { id: 1, key: '2', value: 'dark' },
    { id: 2, key: '1', value: 'big' },
  ];

  test('a `key` names no row with that id', () => {
    const params = { key: '2' };
    expect(changeRow(list, write({ params, data: { value: 'light' } }))).toEqual([
      { id: 1, key: '2', value: 'light' },
      list[1],
    ]);
    expect(removeRow(list, write({ params }))).toEqual([list[1]]);
  });

  test('of two parameters the one counts that the row has: `/albums/{id}/photos/{key}`', () => {
    const photos = [{ key: '5' }, { key: '7' }];
    expect(removeRow(photos, write({ params: { id: '5', key: '7' } }))).toEqual([{ key: '5' }]);
    expect(removeRow(list, write({ params: { id: '1', key: '1' } }))).toEqual([list[1]]);
  });
});

const id = fc.constantFrom('1', '2', '3', 't1', 't2');
const ids = { id, _id: id, key: fc.constantFrom(1, '2'), uuid: id };
const data = fc.record(
  { title: fc.constantFrom('a', 'b'), size: fc.integer({ min: 0, max: 2 }), ...ids },
  { requiredKeys: [] },
);

const step: fc.Arbitrary<OptimisticStep> = fc.oneof(
  fc
    .record({
      apply: fc.constantFrom(appendRow, prependRow),
      data,
      of: fc.constantFrom('t1', 't2', null),
      creates: fc.constantFrom('/id', '/key', '/uuid'),
    })
    .map(({ apply, data: given, of, creates }) => ({
      apply,
      write: write({ data: given, temporaryId: of, creates }),
    })),
  fc
    .record({
      apply: fc.constantFrom(changeRow, removeRow),
      data,
      params: fc.oneof(fc.record({ id }), fc.record({ _id: id, key: id }, { requiredKeys: [] })),
    })
    .map(({ apply, data: given, params }) => ({ apply, write: write({ data: given, params }) })),
);

const list = fc.array(
  fc.oneof(
    fc.record({ id: fc.constantFrom(1, 2, 3, '1', 't1'), title: fc.constantFrom('a', 'b') }),
    fc.record({ ...ids, title: fc.constantFrom('a', 'b') }, { requiredKeys: [] }),
    fc.constantFrom(null, 5),
  ),
  { maxLength: 5 },
);

test('together they do the same as one after the other, and leave the list as it is', () => {
  const together = togetherOf(appendRow)?.apply;
  fc.assert(
    fc.property(list, list, fc.array(step, { maxLength: 6 }), (one, other, steps) => {
      freeze([one, other, steps.map(({ write: { data: given } }) => given)]);
      const made = { rows: [] };
      for (const model of [one, other]) {
        const expected = steps.reduce<unknown>((before, each) => each.apply(before, each.write, {}), model);
        expect(together?.(model, steps, made)).toEqual(expected);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('rows that are made again as they were are the same objects', () => {
  const together = togetherOf(appendRow)?.apply;
  const steps = [
    { apply: changeRow, write: write({ params: { id: '1' }, data: { title: 'Night' } }) },
    { apply: appendRow, write: write({ data: { title: 'Dusk' }, temporaryId: 't' }) },
  ];
  const made = { rows: [] };
  const rows = (): unknown[] =>
    [
      together?.(
        LIST.map((row) => ({ ...row })),
        steps,
        made,
      ),
    ].flat();
  const [first, , last] = rows();
  expect(rows()[0]).toBe(first);
  expect(rows()[2]).toBe(last);
  // The server says what was shown.
  expect([together?.([{ id: 1, title: 'Night' }], [], made)].flat()[0]).toBe(first);
});
