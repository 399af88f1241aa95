import { describe, expect, test } from 'vitest';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { exchangeKey } from './requests.ts';

const URL = 'https://page.example/photo';

function key(wish: Wish = {}): string {
  return exchangeKey(invocation(wish), URL);
}

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
});

describe('calls share no exchange', () => {
  test.each<[string, Wish]>([
    ['headers', { headers: [['traceparent', '00-1']] }],
    ['conditions', { headers: [['If-None-Match', '"1"']] }],
    ['ranges', { headers: [['Range', 'bytes=0-9']] }],
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
});
