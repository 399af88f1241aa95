import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { exchangeKey } from './exchange-key.ts';

const URL = 'https://page.example/photo';

function key(wish: Wish = {}, stored: readonly Header[] | null = null): string {
  return exchangeKey(invocation(wish), URL, stored);
}

const TRACED: Wish = { headers: [['traceparent', '00-1']] };

describe('calls share an exchange', () => {
  test.each<[string, Wish, Wish]>([
    [
      'they have the same headers in another order and case',
      {
        headers: [
          ['A', '1'],
          ['B', '2'],
        ],
      },
      {
        headers: [
          ['b', '2'],
          ['a', '1'],
        ],
      },
    ],
    ['they have other timeouts', { policy: { timeout: 1 } }, { policy: { timeout: 2 } }],
    ['one wants what is stored first', { policy: { storedFirst: true } }, {}],
    ['they go by other names', { action: 'get' }, { action: 'load' }],
    [
      'their pages differ',
      { documentUrl: 'https://page.example/a' },
      { documentUrl: 'https://page.example/b' },
    ],
  ])('where %s', (_, one, other) => {
    expect(key(one)).toBe(key(other));
  });

  test('where they differ in a header that the last stored answer does not vary with', () => {
    expect(key(TRACED, [])).toBe(key({}, []));
    expect(key(TRACED, [['Vary', 'Accept, X-Other']])).toBe(key({}, [['Vary', 'Accept, X-Other']]));
  });
});

describe('calls share no exchange', () => {
  test.each<[string, Wish]>([
    ['headers, while nothing is known of Vary', TRACED],
    ['Authorization', { headers: [['Authorization', 'a']] }],
    ['credentials', { policy: { credentials: 'include' } }],
    ['mode', { policy: { mode: 'same-origin' } }],
    ['functions', { policy: { transform: ['short'] } }],
    ['cache', { policy: { cache: 'network-first' } }],
    ['lifetimes', { policy: { cache: { maxAge: 1 } } }],
    ['whether they reload', { policy: { revalidate: false } }],
    ['repetitions', { policy: { retry: 3 } }],
    ['the largest answer', { policy: { answerSize: 1 } }],
    ['the origins that redirects may reach', { policy: { origins: ['https://api.example'] } }],
  ])('where they differ in their %s', (_, wish) => {
    expect(key(wish)).not.toBe(key());
  });

  test.each<[string, readonly Header[], Wish]>([
    ['is named by Vary', [['vary', 'accept, TraceParent']], TRACED],
    ['is one of any', [['Vary', '*']], TRACED],
    ['is Authorization', [], { headers: [['authorization', 'a']] }],
    ['is secret', [], { headers: [['X-Key', 'a']], policy: { secretHeaders: ['x-key'] } }],
    ['asks for a part', [], { headers: [['Range', 'bytes=0-9']] }],
    ['asks on a condition', [], { headers: [['If-None-Match', '"1"']] }],
    ['says how the cache is used', [], { headers: [['Cache-Control', 'no-store']] }],
  ])('where an answer is stored and the header by which they differ %s', (_, stored, wish) => {
    const { headers: _headers, ...without } = wish;
    expect(key(wish, stored)).not.toBe(key(without, stored));
  });
});
