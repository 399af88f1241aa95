import { expect, test } from 'vitest';
import { ChangeSelectionEvent, areSameRows } from './choices.ts';

test('it tells both selections, the classic way too', () => {
  const [value, old] = [[1], [2]];
  const event = new ChangeSelectionEvent(value, old);
  expect([event.type, event.value, event.old]).toEqual(['changeSelection', value, old]);
  expect([event.getData(), event.getOldData()]).toEqual([value, old]);
});

test.each([
  [[], [], true],
  [[{ id: 1 }], [{ id: 1, changed: true }], true],
  [[{ id: 1 }], [{ id: 2 }], false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
])('%j and %j are the same rows: %s', (some, others, are) => {
  expect(areSameRows(some, others)).toBe(are);
});
