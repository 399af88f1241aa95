import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { ageOf, freshnessOf } from './freshness.ts';

/** Thursday, 1 January 2026, 12:00 GMT. */
const NOON = Date.UTC(2026, 0, 1, 12);

function dateAt(seconds: number): string {
  return new Date(NOON + seconds * 1_000).toUTCString();
}

function stored(headers: readonly Header[], differing: Partial<StoredResponse> = {}): StoredResponse {
  return {
    key: 'https://page.example/photo ',
    url: 'https://page.example/photo',
    status: 200,
    headers,
    receivedAt: NOON,
    digest: '',
    size: 0,
    revision: { lineage: 'a', number: 1 },
    ...differing,
  };
}

function control(value: string): Header[] {
  return [['Cache-Control', value]];
}

describe('the lifetime is', () => {
  test.each<[string, readonly Header[], number]>([
    ['none', [], 0],
    ['max-age', control('max-age=60'), 60],
    ['2 ** 31 of more than that', control('max-age=1000000000000000000000'), 2 ** 31],
    ['in any case', [['CACHE-CONTROL', 'Max-Age=60']], 60],
    ['in quotes', control('max-age="60"'), 60],
    ['beside text in quotes', control('private="a, max-age=1", max-age=60'), 60],
    ['the first', control('max-age=60, max-age=1'), 60],
    ['0 of what is no number', control('max-age=1h'), 0],
    ['0 of an Expires that is a number', [['Expires', '3600']], 0],
    ['0 of a Last-Modified that is a number', [['Last-Modified', '1950']], 0],
    ['by an Expires of the oldest form, which is in GMT too', [['Expires', 'Thu Jan  1 12:01:00 2026']], 60],
    ['0 of a negative number', control('max-age=-60'), 0],
    ['0 of a fraction', control('max-age=1.5'), 0],
    ['0 of nothing', control('max-age'), 0],
    ['not of s-maxage, which is for shared caches', control('s-maxage=60'), 0],
    ['max-age before Expires', [...control('max-age=60'), ['Expires', dateAt(600)]], 60],
    [
      'from Date to Expires',
      [
        ['Date', dateAt(-30)],
        ['Expires', dateAt(60)],
      ],
      90,
    ],
    ['from now to Expires, without a Date', [['Expires', dateAt(60)]], 60],
    ['0 where Expires is no date', [['Expires', '0']], 0],
    ['0 where Expires is past', [['Expires', dateAt(-60)]], 0],
    [
      'a tenth of the time since the last change',
      [
        ['Date', dateAt(0)],
        ['Last-Modified', dateAt(-1_000)],
      ],
      100,
    ],
    [
      '0 where the change is still to come',
      [
        ['Date', dateAt(0)],
        ['Last-Modified', dateAt(1_000)],
      ],
      0,
    ],
  ])('%s', (_, headers, lifetime) => {
    expect(freshnessOf(stored(headers), NOON).lifetime).toBe(lifetime);
  });

  test('that of the app where the server says nothing, and no other', () => {
    const lifetimes = { maxAge: 7 };
    const lifetimeOf = (headers: Header[]): number => freshnessOf(stored(headers), NOON, lifetimes).lifetime;
    expect([[], control('private'), control('max-age=60'), control('no-cache')].map(lifetimeOf)).toEqual([
      7, 7, 60, 0,
    ]);
  });

  test.each([
    ['0 for a status that is not cacheable by itself', 201, 'private', 0],
    ['what is said, for any status', 201, 'max-age=60', 60],
    ['0 where the status must be understood, and is not', 599, 'max-age=60, must-understand', 0],
    ['what is said, where it is understood', 404, 'max-age=60, must-understand', 60],
    ['that of a 200 where it is public', 201, 'public', 100],
  ])('%s', (_, status, directives, lifetime) => {
    const headers: Header[] = [...control(directives), ['Last-Modified', dateAt(-1_000)]];
    expect(freshnessOf(stored(headers, { status }), NOON).lifetime).toBe(lifetime);
  });
});

describe('the age is', () => {
  test.each<[string, readonly Header[], number]>([
    ['the time since it came', [], 10],
    ['with the Age that it had', [['Age', '5']], 15],
    ['any where there are several Ages', [['Age', '5, 5']], Infinity],
    ['any where the Age is no whole number', [['Age', '5.0']], Infinity],
    [
      'with the time since its Date, if that is longer',
      [
        ['Date', dateAt(-20)],
        ['Age', '5'],
      ],
      30,
    ],
    ['never less, whatever its Date', [['Date', dateAt(600)]], 10],
  ])('%s', (_, headers, age) => {
    expect(freshnessOf(stored(headers), NOON + 10_000).age).toBe(age);
  });

  test('longer by the time that it was on its way, unless its Date tells more (RFC 9111 section 4.2.3)', () => {
    const said: Header[][] = [[], [['Age', '5']], [['Date', dateAt(-20)]]];
    const delayed = said.map((headers) => stored(headers, { delay: 4_000 }));
    expect(delayed.map((each) => freshnessOf(each, NOON).age)).toEqual([4, 9, 20]);
    expect(delayed.map((each) => ageOf(each, NOON))).toEqual([4, 9, 20]);
  });

  test('unknown where the clock was set back', () => {
    expect(freshnessOf(stored([]), NOON - 1).age).toBe(Infinity);
  });
});

describe('it must be validated', () => {
  test.each<[string, readonly Header[], Partial<StoredResponse>, boolean]>([
    ['where it says so', control('no-cache'), {}, true],
    ['where it says so of a header', control('no-cache="Set-Cookie"'), {}, true],
    ['where Pragma says so alone', [['Pragma', 'no-cache']], {}, true],
    ['not where Cache-Control says otherwise', [...control('max-age=60'), ['Pragma', 'no-cache']], {}, false],
    ['after a write', control('max-age=60'), { isOutdated: true }, true],
    ['not else', control('must-revalidate'), {}, false],
  ])('%s', (_, headers, differing, expected) => {
    expect(freshnessOf(stored(headers, differing), NOON).isReusable).toBe(!expected);
  });
});
