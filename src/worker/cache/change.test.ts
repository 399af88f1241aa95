import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { changeBy, confirmBy, isAsGood } from './change.ts';
import type { Derivation } from '../byte-change.ts';
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

test('a strong validator is that of a weak one which is else the same', () => {
  const stored = { ...STORED, headers: [['etag', 'W/"1"']] as const };
  expect(confirmed([['etag', '"1"']], stored)).not.toBeNull();
  expect(confirmed([['etag', '"2"']], stored)).toBeNull();
  expect(confirmed([['etag', '"2"']], { ...STORED, headers: [] })).toBeNull();
});

test('a confirmation that must not be stored is not', () => {
  expect(confirmed([['cache-control', 'no-store']])).toBeNull();
});

test('nothing is made of an answer that is gone, replaced or begun anew', () => {
  expect(confirmed([], null)).toBeNull();
  expect(confirmed([], { ...STORED, revision: { line: 'line', n: 2 } })).toBeNull();
  expect(confirmed([], { ...STORED, revision: { line: 'other', n: 1 } })).toBeNull();
});

const BODY = new ArrayBuffer(4);

function derived(n: number, line = 'line'): Derivation {
  return { from: { line, n }, change: { runs: [0, 3, -1, 1], literal: new ArrayBuffer(1), size: 4 } };
}

/** What an answer of other bytes means, of which it is known how they were derived. */
function changedBy(current: StoredResponse | null, derivation: Derivation | null, digest = 'd2'): unknown {
  return changeBy(current, { ...STORED, digest, size: 4 }, BODY, 'new', derivation);
}

test('bytes that were derived from those that are stored amend them', () => {
  const { change } = derived(1);
  const stored = { ...STORED, digest: 'd2', size: 4, revision: { line: 'line', n: 2 } };
  expect(changedBy(STORED, derived(1))).toEqual({ kind: 'amend', stored, change, body: BODY });
});

test.each<[what: string, Derivation | null]>([
  ['were not derived', null],
  ['were derived from an earlier revision', derived(0)],
  ['were derived from a later one', derived(2)],
  ['were derived from one of another line', derived(1, 'other')],
])('bytes that %s replace those that are stored', (_what, derivation) => {
  const stored = { ...STORED, digest: 'd2', size: 4, revision: { line: 'line', n: 2 } };
  expect(changedBy(STORED, derivation)).toEqual({ kind: 'replace', stored, body: BODY });
});

test('where nothing is stored any more, however they were derived, a line begins', () => {
  const stored = { ...STORED, digest: 'd2', size: 4, revision: { line: 'new', n: 1 } };
  expect(changedBy(null, derived(1))).toEqual({ kind: 'replace', stored, body: BODY });
});

test.each([
  ['application/json', 'application/problem+json; charset=utf-8', 'describe'],
  ['application/json', 'text/plain', 'replace'],
  ['text/plain', 'application/json', 'replace'],
  ['text/plain', 'text/plain; charset=latin1', 'replace'],
  ['image/png', 'image/png', 'describe'],
])('equal bytes that were %s and are %s: %s', (before, now, kind) => {
  const current: StoredResponse = { ...STORED, headers: [['Content-Type', before]] };
  const incoming: StoredResponse = { ...STORED, headers: [['content-type', now]] };
  const n = kind === 'replace' ? 2 : 1;
  expect(changeBy(current, incoming, BODY, 'new')).toMatchObject({ kind, stored: { revision: { n } } });
});

test('equal bytes only describe, however they were derived', () => {
  expect(changedBy(STORED, derived(1), 'd1')).toMatchObject({ kind: 'describe' });
});

test.each<[what: string, Partial<StoredResponse>, boolean]>([
  ['later by less than ten seconds', { receivedAt: 10_999 }, true],
  ['later by ten seconds', { receivedAt: 11_000 }, false],
  ['earlier, by a clock that was set back', { receivedAt: 999 }, false],
  ['of another status', { status: 203 }, false],
  ['sent at another time', { headers: [...STORED.headers, ['Date', 'now'], ['age', '3']] }, true],
  ['of another validator', { headers: [['etag', '"2"']] }, false],
])('a description that is %s', (_what, wish, expected) => {
  expect(isAsGood(STORED, { ...STORED, ...wish })).toBe(expected);
});
