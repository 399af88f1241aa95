import { expect, test } from 'vitest';
import { parseSource, read } from './model-store.ts';

test.each([
  ['model', 'model', null],
  ['model.items', 'model', 'items'],
  ['model.items.0.name', 'model', 'items.0.name'],
  ['status', 'status', null],
  ['status.error.code', 'status', 'error.code'],
])('%s is of the %s, at %s', (source, kind, path) => {
  expect(parseSource(source)).toEqual({ kind, path });
});

test.each(['', 'stats', 'Model', 'model ', '.model', 'models.a'])(
  '%j is nothing that a store has',
  (source) => {
    expect(() => parseSource(source)).toThrow(
      new TypeError(`A store has no property '${source}' to bind, only 'model', 'status' and their paths`),
    );
  },
);

test.each(['model.', 'model..a', 'model.a.', 'status..'])('%j is no path', (source) => {
  expect(() => parseSource(source)).toThrow(/is no path into a store's (model|status)$/);
});

test('what is read is the whole, or what lies at the path, falsy values included', () => {
  const whole = { rows: [{ rank: 0, name: '' }] };
  expect(read(null, whole)).toBe(whole);
  expect(read('rows', whole)).toBe(whole.rows);
  expect([read('rows.0.rank', whole), read('rows.0.name', whole)]).toEqual([0, '']);
});

test('what leads nowhere is null', () => {
  expect([read('a', null), read('a.b', {}), read('length', 'text'), read('a', 7)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
