import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { confirmBy } from './change.ts';
import type { StoredResponse } from './response-store.ts';

const STORED: StoredResponse = {
  key: ' https://page.example/photo',
  url: 'https://page.example/photo',
  status: 200,
  headers: [
    ['content-type', 'application/json'],
    ['content-length', '3'],
    ['etag', '"1"'],
  ],
  receivedAt: 1_000,
  digest: 'd1',
  size: 3,
  revision: { line: 'line', n: 1 },
};

function confirmed(
  headers: readonly Header[],
  current: StoredResponse | null = STORED,
): readonly Header[] | null {
  const change = confirmBy(current, STORED, headers, 2_000);
  return change.kind === 'describe' ? change.stored.headers : null;
}

test('what is new replaces what was, what is not mentioned stays', () => {
  expect(
    confirmed([
      ['ETag', '"1"'],
      ['X-New', 'yes'],
    ]),
  ).toEqual([
    ['content-type', 'application/json'],
    ['content-length', '3'],
    ['ETag', '"1"'],
    ['X-New', 'yes'],
  ]);
});

test.each([
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Content-Range',
  'Set-Cookie',
  'Connection',
])('what describes the body or the message is left as it was: %s', (name) => {
  expect(confirmed([[name, 'new']])).toEqual(STORED.headers);
});

test('another strong validator means another representation', () => {
  expect(confirmed([['etag', '"2"']])).toBeNull();
  expect(confirmed([['etag', 'W/"2"']])).not.toBeNull();
});

test('a confirmation that must not be stored is not', () => {
  expect(confirmed([['cache-control', 'no-store']])).toBeNull();
});

test('nothing is made of an answer that is gone, replaced or begun anew', () => {
  expect(confirmed([], null)).toBeNull();
  expect(confirmed([], { ...STORED, revision: { line: 'line', n: 2 } })).toBeNull();
  expect(confirmed([], { ...STORED, revision: { line: 'other', n: 1 } })).toBeNull();
});
