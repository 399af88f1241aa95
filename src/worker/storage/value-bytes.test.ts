import { anything, assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfValue, valueOfBytes } from './sealed-value.ts';

function again(value: unknown): unknown {
  return valueOfBytes(bytesOfValue(value).buffer);
}

test.each<[string, unknown]>([
  ['numbers that JSON has no word for', [NaN, Infinity, -Infinity, -0, 0, 1e308]],
  ['nothing, in several ways', { none: undefined, null: null, list: [undefined], empty: {} }],
  [
    'bytes',
    { first: new Uint8Array([1, 2]).buffer, later: [new ArrayBuffer(0), new Uint8Array([3]).buffer] },
  ],
  ['texts that look like marks', ['\u0000', '\u0000undefined', '\u0000text \u0000', '\u0000bytes 0']],
  ['odd names', JSON.parse('{"__proto__": 1, "constructor": 2, "toJSON": 3, "": 4}')],
  ['half a character', '\ud800'],
])('a value comes back as it was: %s', (_name, value) => {
  expect(again(value)).toStrictEqual(value);
});

test('so does any plain data', () => {
  assert(
    property(anything({ withNullPrototype: false, withSparseArray: false }), (value) => {
      expect(again(value)).toStrictEqual(structuredClone(value));
    }),
  );
});

test.each([() => 1, Symbol('a'), 1n])('what is no data is refused', (value) => {
  expect(() => bytesOfValue({ value })).toThrow('could not be cloned');
});
