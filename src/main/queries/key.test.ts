import { expect, test } from 'vitest';
import type { Wish } from '../session/invocation.fixture.ts';
import { invocation } from '../session/invocation.fixture.ts';
import { queryKey } from './records.ts';

function isSame(one: Wish, other: Wish): boolean {
  return queryKey(invocation(one)) === queryKey(invocation(other));
}

const LONG = 'x'.repeat(10_000);

test.each<[string, Wish, Wish]>([
  [
    'parameters in another order',
    {
      params: [
        ['a', '1'],
        ['b', '2'],
      ],
    },
    {
      params: [
        ['b', '2'],
        ['a', '1'],
      ],
    },
  ],
  ['the name of the action', { action: 'get' }, { action: 'show' }],
  [
    'headers in another order and case',
    {
      headers: [
        ['X', '1'],
        ['Y', '2'],
      ],
    },
    {
      headers: [
        ['y', '2'],
        ['x', '1'],
      ],
    },
  ],
  [
    'the page at another URL, where the template is absolute',
    {},
    { documentUrl: 'https://page.example/other' },
  ],
  [
    'deadlines, repetitions and how stored answers are used',
    {},
    { policy: { timeout: 1, retry: 2, revalidate: true } },
  ],
])('%s is the same query', (_what, one, other) => {
  expect(isSame(one, other)).toBe(true);
});

test.each<[string, Wish, Wish]>([
  ['method', { method: 'GET' }, { method: 'HEAD' }],
  ['parameter', { params: [['a', '1']] }, { params: [['a', '2']] }],
  ['base', { baseUrl: '/v1' }, { baseUrl: '/v2' }],
  [
    'page, where the template is relative',
    { template: 'photo' },
    { template: 'photo', documentUrl: 'https://page.example/other/' },
  ],
  ['header', { headers: [['Accept-Language', 'de']] }, { headers: [['Accept-Language', 'en']] }],
  ['credentials', { policy: { credentials: 'omit' } }, { policy: { credentials: 'include' } }],
  ['function', {}, { policy: { transform: ['titles'] } }],
  ['data', { body: { kind: 'text', text: 'a' } }, { body: { kind: 'text', text: 'b' } }],
  ['place for the data', { body: { kind: 'text', text: 'a' } }, { body: { kind: 'query', text: 'a' } }],
  [
    'end of long data',
    { body: { kind: 'text', text: `${LONG}a` } },
    { body: { kind: 'text', text: `${LONG}b` } },
  ],
])('another %s is another query', (_what, one, other) => {
  expect(isSame(one, other)).toBe(false);
});

test('long data make no long key, and bytes none at all', () => {
  expect(queryKey(invocation({ body: { kind: 'text', text: LONG.repeat(100) } }))?.length).toBeLessThan(
    5_000,
  );
  expect(queryKey(invocation({ body: { kind: 'bytes', bytes: new ArrayBuffer(1) } }))).toBeNull();
});
