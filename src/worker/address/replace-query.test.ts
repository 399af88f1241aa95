import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceQuery } from './expansion.ts';

const X = 'https://page.example/x';

describe('a parameter', () => {
  test.each([
    ['', '?since=7'],
    ['?', '?since=7'],
    ['?a=1', '?a=1&since=7'],
    ['?since=1', '?since=7'],
    ['?a=1&since=1&b=2', '?a=1&since=7&b=2'],
    ['?since=1&a=1&since=2&since', '?since=7&a=1'],
    ['?since', '?since=7'],
    ['?%73ince=1', '?since=7'],
    ['?sinces=1&Since=2', '?sinces=1&Since=2&since=7'],
    ['??since=1', '??since=1&since=7'],
    ['?a=since=1', '?a=since=1&since=7'],
    ['?__proto__=1', '?__proto__=1&since=7'],
  ])('of %s makes it %s', (before, after) => {
    expect(replaceQuery(X + before, [['since', '7']])).toBe(X + after);
  });

  test('leaves all others as they are, byte for byte', () => {
    const others = "?a=%20+%2B'~!*()&&b=%e4%zz&c=d=e;f&é=%F0%9F%98%80&";
    expect(replaceQuery(X + others, [['since', '7']])).toBe(`${X}${others}&since=7`);
  });

  test('is written so that a server reads it back', () => {
    const url = replaceQuery(X, [['filter[a b]', 'é&=+%#☃']]);
    expect(url).toBe(`${X}?filter%5Ba%20b%5D=%C3%A9%26%3D%2B%25%23%E2%98%83`);
    expect(replaceQuery(url, [['filter[a b]', '1']])).toBe(`${X}?filter%5Ba%20b%5D=1`);
  });

  test('whose name has a space is found however that is written', () => {
    expect(replaceQuery(`${X}?a+b=1&a%20b=2`, [['a b', '3']])).toBe(`${X}?a%20b=3`);
  });
});

test('several are replaced one by one', () => {
  expect(
    replaceQuery(`${X}?wait=1&a=1`, [
      ['since', '7'],
      ['wait', '25s'],
    ]),
  ).toBe(`${X}?wait=25s&a=1&since=7`);
});

test('none leaves the URL as it is', () => {
  expect(replaceQuery(`${X}?a=%20+`, [])).toBe(`${X}?a=%20+`);
});

test('a server reads what URLSearchParams would have set', () => {
  const name = fc.constantFrom('a', 'b', 'a b', 'é', '?a', '');
  const parameter = fc.tuple(name, fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(parameter), parameter, (before, [key, value]) => {
      const url = new URL(X);
      for (const each of before) url.searchParams.append(...each);
      const replaced = new URL(replaceQuery(url.href, [[key, value]]));
      url.searchParams.set(key, value);
      expect([...replaced.searchParams]).toEqual([...url.searchParams]);
    }),
  );
});
