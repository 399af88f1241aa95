import { array, assert, constantFrom, dictionary, jsonValue, oneof, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesIn, pointed } from '../../shared/part.ts';
import { listAt } from './container.ts';
import { rowsText } from './arrange.ts';

/** The rows that are cut from the bytes, and their number; null where there is no list. */
function cut(text: string, pointer: string, start = 0, count = 1_000): unknown {
  const work = listAt(new TextEncoder().encode(text), namesIn(pointer));
  for (;;) {
    const { done, value } = work.next();
    if (!done) continue;
    if (!value) return null;
    return { rows: JSON.parse(rowsText(value, start, count)), total: value.table.count };
  }
}

describe('a list is found', () => {
  test.each([
    ['[1, 2]', '', [1, 2]],
    ['\ufeff [1]', '', [1]],
    ['{"items": [1, {"a": "]"}]}', '/items', [1, { a: ']' }]],
    ['{"a": {"b": [3]}, "c": 4}', '/a/b', [3]],
    ['{"items": []}', '/items', []],
    ['{"items": [ ]}', '/items', []],
    ['[[1], [2, 3]]', '/1', [2, 3]],
    ['[{"items": ["\\\\\\""]}]', '/0/items', ['\\"']],
    ['{"a/b": {"~": [5]}}', '/a~1b/~0', [5]],
    ['{"\\u0061": [6]}', '/a', [6]],
    ['{"": [7]}', '/', [7]],
    ['{"0": [8]}', '/0', [8]],
    ['{"a": [1], "a": [2]}', '/a', [2]],
    ['{"a": "\u00e4\\"", "b": ["\u00e4"]}', '/b', ['\u00e4']],
    ['{"__proto__": [9]}', '/__proto__', [9]],
  ])('in %s at %j', (text, pointer, rows) => {
    expect(cut(text, pointer)).toEqual({ rows, total: rows.length });
  });

  test('whatever is around it, and however large it is', () => {
    const around = Array.from({ length: 50_000 }, (_, id) => ({ id, text: 'x'.repeat(20) }));
    const text = JSON.stringify({ around, items: around.slice(7), after: around });
    expect(cut(text, '/items', 40_000, 2)).toEqual({ rows: around.slice(40_007, 40_009), total: 49_993 });
  });
});

test.each([
  ['{"a": {}}', '/a'],
  ['{"a": 1}', '/b'],
  ['{"a": 1}', '/a/b'],
  ['"text"', ''],
  ['[[1]]', '/1'],
  ['[[1]]', '/-'],
  ['[[1]]', '/00'],
  ['[]', '/0'],
  ['{}', '/a'],
  ['null', ''],
])('there is no list in %s at %j', (text, pointer) => {
  expect(cut(text, pointer)).toBeNull();
});

test.each([
  [0, 2, [0, 1]],
  [3, 2, [3, 4]],
  [4, 2, [4]],
  [5, 2, []],
  [9, 0, []],
  [2, 0, []],
])('of rows from %i on %i are cut, as far as there are any', (start, count, rows) => {
  expect(cut('{"a":[0, 1,2 , 3,4]}', '/a', start, count)).toEqual({ rows, total: 5 });
});

test('what is found is what the pointer leads to in the parsed text', () => {
  const named = dictionary(constantFrom('a', '0', '', '~/'), jsonValue({ maxDepth: 2 }));
  const pointers = array(constantFrom('/a', '/0', '/', '/~0~1', '/1'), { maxLength: 3 });
  assert(
    property(oneof(named, array(named)), pointers, (value, way) => {
      const pointer = way.join('');
      const found = pointed(value, pointer);
      const rows = Array.isArray(found) ? { rows: found, total: found.length } : null;
      expect(cut(JSON.stringify(value, null, 1), pointer)).toEqual(
        rows && { ...rows, rows: JSON.parse(JSON.stringify(rows.rows)) },
      );
    }),
  );
});
