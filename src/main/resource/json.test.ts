import { describe, expect, test } from 'vitest';
import { jsonOf } from './body.ts';

class Photo {
  readonly id: number = 1;
}

class Titled {
  get title(): string {
    return 'inherited';
  }
}

const SAID: readonly (readonly [string, unknown, string])[] = [
  ['a plain object', { a: [1, null], b: undefined }, '{"a":[1,null]}'],
  ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['an object of a class', [new Photo(), new Titled()], '[{"id":1},{}]'],
  ['what says itself how it is written', [new Date(0), new URL('https://x.example/')], ''],
  ['nothing of anything', [{}, [], ''], '[{},[],""]'],
];

test.each(SAID)('JSON says %s', (_name, value, text) => {
  expect(jsonOf(value)).toBe(text === '' ? JSON.stringify(value) : text);
});

describe('refused is, at any depth', () => {
  test.each([
    ['a promise', Promise.resolve(1)],
    ['a map', new Map([['a', 1]])],
    ['a set', new Set([1])],
    ['a stream', new ReadableStream()],
    ['a pattern', /a/],
    ['a form', new URLSearchParams('a=1')],
    ['a file', new Blob(['a'])],
    ['bytes', new ArrayBuffer(1)],
    ['an iterator', [1].values()],
  ])('%s', (_name, value) => {
    for (const data of [value, [value], { a: { b: value } }])
      expect(() => jsonOf(data)).toThrow(new TypeError(`JSON cannot say a ${value.constructor.name}`));
  });
});

function isLost(member: unknown, isItem: boolean): boolean {
  return member === undefined && isItem;
}

test('refused is what the caller says, who is told whether that is an item', () => {
  expect(jsonOf({ a: undefined, b: [1] }, isLost)).toBe('{"b":[1]}');
  expect(() => jsonOf({ b: [1, undefined] }, isLost)).toThrow(TypeError);
});
