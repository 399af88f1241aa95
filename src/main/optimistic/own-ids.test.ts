import { expect, test } from 'vitest';
import { appendRow, changeRow, removeRow } from './rows.ts';
import { togetherOf } from './write.ts';
import type { OptimisticStep, OptimisticWrite } from './write.ts';

const NOTHING: OptimisticWrite = { action: 'a', params: {}, data: null, temporaryId: null, entry: null };
const create = { apply: appendRow, write: { ...NOTHING, data: { id: 'u1', title: 'Dusk' } } };
const rename = { apply: changeRow, write: { ...NOTHING, params: { id: 'u1' }, data: { title: 'Dawn' } } };
const remove = { apply: removeRow, write: { ...NOTHING, params: { id: 'u1' } } };

function together(model: unknown, ...steps: OptimisticStep[]): unknown {
  return togetherOf(appendRow)?.apply(model, steps, { rows: [] });
}

// An app that makes ids itself (UUIDs) needs no `creates`.
test('a row with an id of its own is renamed before its server knows it', () => {
  expect(together([], create, rename)).toEqual([{ id: 'u1', title: 'Dawn' }]);
});

test('and removed', () => {
  expect(together([], create, remove)).toEqual([]);
});

test('and not added where the list has it already', () => {
  const list = [{ id: 'u1', title: 'Dusk' }];
  expect(together(list, create)).toBe(list);
});

test('a `key` in the data may be anything: a row with the same one is another row', () => {
  const list = [{ id: 5, key: 'C' }];
  const write = { ...NOTHING, data: { key: 'C', title: 'Song' } };
  expect(together(list, { apply: appendRow, write })).toEqual([...list, write.data]);
});

test('a row that gets another id is changed by that one', () => {
  const list = [{ id: 'old', title: 'Dusk' }];
  const name = { apply: changeRow, write: { ...NOTHING, params: { id: 'old' }, data: { id: 'u1' } } };
  expect(together(list, name, rename)).toEqual([{ id: 'u1', title: 'Dawn' }]);
});
