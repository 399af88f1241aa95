import { expect, test } from 'vitest';
import { TITLED } from './schema.fixture.ts';
import { assertSchema, believe, isTesting } from '../../shared/standard-schema.ts';

test.each([
  ['an object', TITLED],
  ['a function with the standard’s property', Object.assign(() => {}, TITLED)],
  ['what is only said', believe<string>()],
])('%s is a schema', (_what, schema) => {
  expect(() => assertSchema('get', schema)).not.toThrow();
});

test.each([null, 1, 'photo', {}, () => {}, { '~standard': null }, { '~standard': { version: 1 } }])(
  '%s is none',
  (schema) => {
    const message = "Response of 'get' must be a Standard Schema, Resource.type<T>() or Resource.text";
    expect(() => assertSchema('get', schema)).toThrow(new TypeError(message));
  },
);

test('what is only said is tested by nothing', () => {
  expect([TITLED, believe<string>(), undefined].map(isTesting)).toEqual([true, false, false]);
});
