import { describe, expect, test } from 'vitest';
import {
  essenceOf,
  headerValue,
  isJsonType,
  isSecret,
  isToken,
  redacted,
  withHeader,
  withoutHeader,
} from './header.ts';
import type { Header } from './header.ts';

const HEADERS: readonly Header[] = [
  ['Accept', 'text/plain'],
  ['X-One', '1'],
  ['accept', 'text/html'],
];

describe('a token', () => {
  test.each(['GET', 'x', "!#$%&'*+-.^_`|~0aZ", 'M-SEARCH'])('is %s', (text) => {
    expect(isToken(text)).toBe(true);
  });

  test.each(['', ' ', 'GE T', 'a:b', 'a/b', 'a\n', '\na', 'ä', 'a"', '(a)', 'a,b', 'a=b', '\0'])(
    'is not %j',
    (text) => {
      expect(isToken(text)).toBe(false);
    },
  );
});

describe('a list of headers', () => {
  test.each([
    ['the last of a name counts, whatever its case', 'ACCEPT', 'text/html'],
    ['a name that is there once', 'x-one', '1'],
    ['a name that is not there', 'X-Two', null],
  ])('gives values: %s', (_name, name, expected) => {
    expect(headerValue(HEADERS, name)).toBe(expected);
  });

  test('loses every header of a name', () => {
    expect(withoutHeader(HEADERS, 'aCCEPT')).toEqual([['X-One', '1']]);
    expect(withoutHeader(HEADERS, 'X-Two')).toEqual(HEADERS);
  });

  test('gets one in place of all of its name', () => {
    expect(withHeader(HEADERS, 'ACCEPT', '*/*')).toEqual([
      ['X-One', '1'],
      ['ACCEPT', '*/*'],
    ]);
  });
});

describe('secrets (invariant 14)', () => {
  test.each(['Authorization', 'COOKIE', 'proxy-authorization', 'X-Api-Key'])('%s is one', (name) => {
    expect(isSecret(name, ['x-api-KEY'])).toBe(true);
  });

  test.each(['Accept', 'X-Api-Keys', 'Set-Cookie', ''])('%j is none', (name) => {
    expect(isSecret(name, ['x-api-key'])).toBe(false);
  });

  test('their values are left out where they are shown, their names are not', () => {
    expect(redacted([['Authorization', 'Bearer 1'], ...HEADERS], ['x-one'])).toEqual([
      ['Authorization', 'redacted'],
      ['Accept', 'text/plain'],
      ['X-One', 'redacted'],
      ['accept', 'text/html'],
    ]);
  });
});

describe('media types', () => {
  test.each([
    [null, ''],
    ['', ''],
    ['text/html', 'text/html'],
    [' Text/HTML ; charset=utf-8', 'text/html'],
    [';', ''],
    ['application/json, application/json', 'application/json'],
    ['text/html, application/json; charset=utf-8', 'application/json'],
    ['application/json, nothing', 'application/json'],
    ['application/json, */*', 'application/json'],
    ['application/json,', 'application/json'],
    ['text/plain; title="a, b"', 'text/plain'],
    ['text/plain; title="a, image/png"', 'text/plain'],
    ['nothing', 'nothing'],
  ])('the essence of %j is %j', (contentType, expected) => {
    expect(essenceOf(contentType)).toBe(expected);
  });

  test.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['text/json', true],
    ['application/problem+json', true],
    ['application/json-seq', false],
    ['application/jsonp', false],
    ['application/x-json', false],
    ['text/plain; format=application/json', false],
    ['text/html', false],
    ['application/json, text/html', false],
    ['application/json, application/json', true],
    [null, false],
  ])('%j is JSON: %s', (contentType, expected) => {
    expect(isJsonType(contentType)).toBe(expected);
  });
});
