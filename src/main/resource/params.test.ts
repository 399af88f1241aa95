import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { assertParams, copyParams, describe as name, encodeParams, isAbsent } from './params.ts';
import type { InputParams, InputValue } from './params.ts';

class Photo {
  readonly id = 1;
}

/** Parameters that the compiler would refuse. */
function wrong(id: unknown): InputParams {
  return Object.assign(Object.create(null), { id });
}

describe('parameters', () => {
  test.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['empty', {}],
    ['an object without prototype', Object.create(null)],
    ['an object of another frame', runInNewContext('({ id: 1 })')],
  ])('may be %s', (_name, params) => {
    expect(() => assertParams('get', params)).not.toThrow();
  });

  test.each<[unknown, string]>([
    ['id=1', 'a string'],
    [1, 'a number'],
    [true, 'a boolean'],
    [[], 'an array'],
    [new Date(), 'a Date'],
    [new Map(), 'a Map'],
    [new URLSearchParams(), 'a URLSearchParams'],
    [new Photo(), 'a Photo'],
    [(): void => {}, 'a function'],
    [Symbol('id'), 'a symbol'],
  ])('may not be %s', (params, what) => {
    expect(() => assertParams('get', params)).toThrow(
      new TypeError(`Parameters of 'get' must be a plain object, got ${what}`),
    );
  });
});

describe('a value as text', () => {
  test.each<[InputValue, unknown]>([
    ['text', 'text'],
    ['', ''],
    [0, '0'],
    [-0.5, '-0.5'],
    [12n, '12'],
    [false, 'false'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    ['😀', '😀'],
    [
      ['a', 1, null, undefined, false],
      ['a', '1', 'false'],
    ],
    [
      { a: 1, b: null, c: undefined, d: 'x' },
      {
        pairs: [
          ['a', '1'],
          ['d', 'x'],
        ],
      },
    ],
    [{ a: '' }, { pairs: [['a', '']] }],
  ])('of %o', (id, expected) => {
    expect(encodeParams({ id })).toEqual([['id', expected]]);
  });

  test.each<[string, unknown]>([
    ['a function', (): void => {}],
    ['a symbol', Symbol('id')],
    ['a list in a list', [['a']]],
    ['an object in a list', [{ a: 1 }]],
    ['an object in an object', { a: { b: 1 } }],
    ['a list in an object', { a: [1] }],
    ['an object of a class', new Photo()],
    ['a map', new Map()],
    ['a date that is none', new Date(Number.NaN)],
  ])('%s has none', (_name, id) => {
    expect(() => encodeParams(wrong(id))).toThrow(/^Parameter 'id' cannot be put into a URL: it is /);
  });

  test.each<[string, unknown]>([
    ['alone', '\ud83d'],
    ['the wrong way round', '\ude00\ud83d'],
    ['in a list', ['a', 'b\ud83d']],
    ['in a key', { '\ud83d': 'a' }],
    ['in a value', { a: '\ude00' }],
  ])('half of a surrogate pair has none: %s', (_name, id) => {
    expect(() => encodeParams(wrong(id))).toThrow(/half of a surrogate pair/);
  });
});

test('absent parameters are left out, the others keep their order', () => {
  const params = { b: 1, a: null, d: undefined, c: [], e: '', f: {}, g: { h: null } };
  expect(encodeParams(params)).toEqual([
    ['b', '1'],
    ['e', ''],
  ]);
});

test.each<[unknown, boolean]>([
  [undefined, true],
  [null, true],
  [[], true],
  ['', false],
  [0, false],
  [false, false],
  [{}, true],
  [{ a: null, b: undefined }, true],
  [{ a: '' }, false],
  [[null, undefined], true],
  [[null, ''], false],
])('%o counts as absent: %s', (value, expected) => {
  expect(isAbsent(value)).toBe(expected);
});

describe('a copy of parameters', () => {
  test('is equal and of its own', () => {
    const date = new Date(1_000);
    const params = { id: 1, list: ['a', date], map: { a: 'x', at: date }, date };
    const copy = copyParams(params);
    expect(copy).toEqual(params);
    params.list.push('b');
    params.map.a = 'y';
    date.setTime(2_000);
    expect(copy).toEqual({
      id: 1,
      list: ['a', new Date(1_000)],
      map: { a: 'x', at: new Date(1_000) },
      date: new Date(1_000),
    });
  });

  test('of a parameter named __proto__ changes no prototype', () => {
    const copy = copyParams(JSON.parse('{"__proto__":"x","a":{"__proto__":"y"}}'));
    expect(encodeParams(copy)).toEqual([
      ['__proto__', 'x'],
      ['a', { pairs: [['__proto__', 'y']] }],
    ]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

test.each<[unknown, string]>([
  [null, 'null'],
  [[1], 'an array'],
  [Object.create(null), 'a null-prototype object'],
  [new Photo(), 'a Photo'],
  ['x', 'a string'],
])('messages call %o %s', (value, expected) => {
  expect(name(value)).toBe(expected);
});
