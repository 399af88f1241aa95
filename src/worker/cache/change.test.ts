import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { changeTo, confirmBy, isAsGood, writtenBehind, Lines } from './change.ts';
import type { DeltaFrom, StoredResponse } from '../contracts/response-store.ts';

const STORED: StoredResponse = {
  key: 'https://page.example/photo ',
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
  revision: { lineage: 'line', number: 1 },
};

function confirmed(
  headers: readonly Header[],
  current: StoredResponse | null = STORED,
): readonly Header[] | null {
  const change = confirmBy(current, STORED, { headers, receivedAt: 2_000 });
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
  'Content-MD5',
  'Content-Range',
  'Set-Cookie',
  'Connection',
])('what describes the body or the message is left as it was: %s', (name) => {
  expect(confirmed([[name, 'new']])).toEqual(STORED.headers);
});

test('another strong validator means another representation', () => {
  expect(confirmed([['etag', '"2"']])).toBeNull();
});

test('another weak validator than a weak one means another representation, too', () => {
  const stored = { ...STORED, headers: [['etag', 'W/"1"']] as const };
  expect(confirmed([['etag', 'W/"2"']], stored)).toBeNull();
  expect(confirmed([['etag', 'W/"1"']], stored)).not.toBeNull();
});

test('a weak validator may be that of a strong one: servers weaken it where they compress', () => {
  expect(confirmed([['etag', 'W/"1"']])).not.toBeNull();
  expect(confirmed([['etag', 'W/"2"']])).toBeNull();
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
  expect(confirmed([], { ...STORED, revision: { lineage: 'line', number: 2 } })).toBeNull();
  expect(confirmed([], { ...STORED, revision: { lineage: 'other', number: 1 } })).toBeNull();
});

const BODY = new ArrayBuffer(4);

function derived(number: number, lineage = 'line'): DeltaFrom {
  return { from: { lineage, number }, change: { runs: [0, 3, -1, 1], literal: new ArrayBuffer(1), size: 4 } };
}

const NEXT: StoredResponse = { ...STORED, digest: 'd2', size: 4, revision: { lineage: 'line', number: 2 } };

test('bytes that were derived from those that are stored amend them', () => {
  const { from, change } = derived(1);
  const expected = { kind: 'amend', stored: NEXT, from, change, body: BODY };
  expect(changeTo(STORED, NEXT, BODY, derived(1))).toEqual(expected);
});

test.each<[what: string, DeltaFrom | null]>([
  ['were not derived', null],
  ['were derived from an earlier revision', derived(0)],
  ['were derived from a later one', derived(2)],
  ['were derived from one of another line', derived(1, 'other')],
])('bytes that %s replace those that are stored', (_what, derivation) => {
  expect(changeTo(STORED, NEXT, BODY, derivation)).toEqual({ kind: 'replace', stored: NEXT, body: BODY });
});

test('where nothing is stored any more, the whole is stored, however it was derived', () => {
  expect(changeTo(null, NEXT, BODY, derived(1))).toEqual({ kind: 'replace', stored: NEXT, body: BODY });
});

test('what is stored by now stays where it is newer, and is described where it is the same', () => {
  expect(changeTo(NEXT, STORED, BODY)).toEqual({ kind: 'keep' });
  expect(changeTo(NEXT, NEXT, BODY, derived(1))).toEqual({ kind: 'describe', stored: NEXT });
});

/** Which revision an answer of such bytes is told as, after another. */
function toldAfter(
  known: StoredResponse | null,
  digest: string,
  counts: boolean,
  lines = ownLines(),
): unknown {
  const begin = (): string => `9-${lines.next()}`;
  const { stored, changed } = writtenBehind(known, { ...STORED, digest }, { lines, begin }, counts);
  return [changed, stored.revision];
}

function ownLines(): Lines {
  return new Lines(() => 'life');
}

test('a loop counts on its own line only; else what has changed begins one', () => {
  const lines = ownLines();
  const own: StoredResponse = { ...STORED, revision: { lineage: `5-${lines.next()}`, number: 3 } };
  const { lineage } = own.revision;
  expect(toldAfter(null, 'd2', true)).toEqual([true, { lineage: '9-life.1', number: 1 }]);
  expect(toldAfter(own, 'd1', true, lines)).toEqual([false, { lineage, number: 3 }]);
  expect(toldAfter(own, 'd2', true, lines)).toEqual([true, { lineage, number: 4 }]);
  expect(toldAfter(own, 'd2', false, lines)).toEqual([true, { lineage: '9-life.2', number: 1 }]);
  expect(toldAfter(own, 'd2', true)).toEqual([true, { lineage: '9-life.1', number: 1 }]);
  lines.abandon();
  expect(toldAfter(own, 'd2', true, lines)).toEqual([true, { lineage: '9-life.3', number: 1 }]);
});

test.each([
  ['application/json', 'application/problem+json; charset=utf-8', false],
  ['application/json', 'text/plain', true],
  ['text/plain', 'application/json', true],
  ['text/plain', 'text/plain; charset=latin1', true],
  ['image/png', 'image/png', false],
])('equal bytes that were %s and are %s have changed: %s', (before, now, expected) => {
  const known: StoredResponse = { ...STORED, headers: [['Content-Type', before]] };
  const incoming: StoredResponse = { ...STORED, headers: [['content-type', now]] };
  expect(writtenBehind(known, incoming, { lines: ownLines(), begin: () => '9-new' }, true).changed).toBe(
    expected,
  );
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
