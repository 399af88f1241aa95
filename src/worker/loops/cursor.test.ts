import { describe, expect, test } from 'vitest';
import type { Cursor, CursorSource, CursorTarget, Wait } from '../../shared/cursor.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused } from '../contracts/outcome.fixture.ts';
import { CHANGES } from './changes.fixture.ts';
import { additionOf, advances, isRefused, cursorIn } from './cursor.ts';

const SINCE: CursorTarget = { kind: 'query', name: 'since' };

/** A feed whose next place stands at `/next` and goes into the query, but for what is wished otherwise. */
function cursor(wish: Partial<Cursor> = {}): Cursor {
  return { kind: 'feed', from: at('/next'), plus: 0, to: SINCE, initial: null, catchUp: null, ...wish };
}

function at(pointer: string): CursorSource {
  return { kind: 'body', pointer };
}

/** An answer as its server wrote it. */
function said(json: string, headers: readonly Header[] = []): Answer {
  return { status: 200, headers, body: { kind: 'value', value: JSON.parse(json) } };
}

function headed(...headers: readonly Header[]): Answer {
  return said('null', headers);
}

describe('a place in a body', () => {
  test.each([
    ['/next', '{"next":"a b"}', 'a b'],
    ['/next', '{"next":7}', '7'],
    ['/next', '{"next":-0}', '0'],
    ['/next', '{"next":1.5}', '1.5'],
    ['/next', '{"next":9007199254740993}', '9007199254740992'],
    ['/next', '{"next":"9007199254740993"}', '9007199254740993'],
    ['/next', '{"next":1e21}', '1000000000000000000000'],
    ['/a/0/b', '{"a":[{"b":1},{"b":2}]}', '1'],
    ['/a/10', '{"a":[0,1,2,3,4,5,6,7,8,9,"x"]}', 'x'],
    ['/1', '{"1":"the name of a member may be a number"}', 'the name of a member may be a number'],
    ['/a~1b', '{"a/b":1}', '1'],
    ['/m~0n', '{"m~n":8}', '8'],
    ['/~01', '{"~1":"not a slash","/":"a slash"}', 'not a slash'],
    ['/', '{"":0}', '0'],
    ['/a//b', '{"a":{"":{"b":1}}}', '1'],
    ['/c%d', '{"c%d":2}', '2'],
    ['/__proto__', '{"__proto__":"data"}', 'data'],
    ['/constructor/name', '{"constructor":{"name":"data"}}', 'data'],
  ])('%s of %s is %s', (pointer, json, place) => {
    expect(cursorIn(said(json), cursor({ from: at(pointer) }))).toBe(place);
  });

  test.each([
    ['/next', '{}'],
    ['/next', 'null'],
    ['/next', '[]'],
    ['/next', '{"next":null}'],
    ['/next', '{"next":true}'],
    ['/next', '{"next":["a"]}'],
    ['/next', '{"next":{"a":1}}'],
    ['/next', '{"next":1e999}'],
    ['/next', '{"next":""}'],
    ['/next/0', '{"next":"text"}'],
    ['/next/length', '{"next":"text"}'],
    ['/next/length', '{"next":[1]}'],
    ['/next/-', '{"next":[1]}'],
    ['/next/00', '{"next":[1]}'],
    ['/next/01', '{"next":[1,2]}'],
    ['/next/1', '{"next":[1]}'],
    ['/__proto__/constructor/name', '{}'],
    ['/constructor/name', '{}'],
    ['/toString', '{}'],
    ['/next/x', '{"next":7}'],
  ])('%s of %s is none', (pointer, json) => {
    expect(cursorIn(said(json), cursor({ from: at(pointer) }))).toBeNull();
  });

  test('is none that a value has only inherited', () => {
    const value: unknown = Object.create({ next: 'inherited' });
    const body = { kind: 'value', value } as const;
    expect(cursorIn({ status: 200, headers: [], body }, cursor())).toBeNull();
  });

  test('is none where the body is no JSON', () => {
    const body = { kind: 'bytes', bytes: new ArrayBuffer(3), type: 'image/png' } as const;
    expect(cursorIn({ status: 200, headers: [], body }, cursor({ from: at('/byteLength') }))).toBeNull();
  });
});

describe('a place in a header', () => {
  test('is its value, whatever the case of its name', () => {
    const from: CursorSource = { kind: 'header', name: 'X-Index' };
    expect(cursorIn(headed(['x-index', '12']), cursor({ from }))).toBe('12');
    expect(cursorIn(headed(['x-other', '12']), cursor({ from }))).toBeNull();
    expect(cursorIn(headed(['x-index', '']), cursor({ from }))).toBeNull();
  });

  test('that is the ETag is taken as it stands, weak or strong', () => {
    for (const etag of ['"1"', 'W/"1"']) {
      expect(cursorIn(headed(['etag', etag]), cursor({ from: { kind: 'etag' } }))).toBe(etag);
    }
    expect(cursorIn(headed(), cursor({ from: { kind: 'etag' } }))).toBeNull();
  });
});

describe('what is added to a place', () => {
  const from: CursorSource = { kind: 'header', name: 'X-Index' };

  test.each([
    ['41', 1, '42'],
    ['9007199254740993', 1, '9007199254740994'],
    ['99999999999999999999999999', 1, '100000000000000000000000000'],
    ['-1', 1, '0'],
    ['5', -7, '-2'],
    ['007', 0, '007'],
    ['1-5', 1, '1-5'],
    ['12a', 1, '12a'],
    ['0x10', 1, '0x10'],
    ['9'.repeat(101), 1, '9'.repeat(101)],
  ])('%s and %i make %s', (place, plus, sum) => {
    expect(cursorIn(headed(['X-Index', place]), cursor({ from, plus }))).toBe(sum);
  });

  test.each([
    ['{"next":41}', '42'],
    ['{"next":9007199254740992}', '9007199254740993'],
    ['{"next":"9007199254740993"}', '9007199254740994'],
    ['{"next":1.5}', '2.5'],
    ['{"next":"41-g1AA"}', '41-g1AA'],
  ])('%s and 1 make %s', (json, sum) => {
    expect(cursorIn(said(json), cursor({ plus: 1 }))).toBe(sum);
  });
});

describe('a place that no request can carry is none', () => {
  test.each<[CursorTarget, string, boolean]>([
    [SINCE, 'é ☃\n', true],
    [SINCE, '\ud800', false],
    [{ kind: 'header', name: 'X-Since' }, 'é', true],
    [{ kind: 'header', name: 'X-Since' }, '☃', false],
    [{ kind: 'header', name: 'X-Since' }, 'a\r\nX-Forged: 1', false],
    [{ kind: 'if-none-match' }, 'a\nb', false],
  ])('%o: %j', (to, next, carried) => {
    expect(cursorIn(said(JSON.stringify({ next })), cursor({ to }))).toBe(carried ? next : null);
  });
});

describe('a request', () => {
  const PREFER: Wait = { kind: 'prefer', seconds: 25 };

  test.each<[string, CursorTarget, Wait | null, object]>([
    ['in a parameter', SINCE, null, { query: [['since', '7']], headers: [] }],
    ['in a header', { kind: 'header', name: 'X-Since' }, null, { query: [], headers: [['X-Since', '7']] }],
    ['as a condition', { kind: 'if-none-match' }, null, { query: [], headers: [['If-None-Match', '7']] }],
    ['with a preference', SINCE, PREFER, { query: [['since', '7']], headers: [['Prefer', 'wait=25']] }],
    [
      'with a parameter that has it wait',
      SINCE,
      { kind: 'query', name: 'wait', value: '25s' },
      {
        query: [
          ['since', '7'],
          ['wait', '25s'],
        ],
        headers: [],
      },
    ],
  ])('names its place %s', (_name, to, wait, addition) => {
    expect(additionOf(cursor({ to }), '7', wait)).toEqual(addition);
  });

  test('names the first place where none is known, and none where there is none', () => {
    expect(additionOf(cursor({ initial: '0' }), null, null).query).toEqual([['since', '0']]);
    expect(additionOf(cursor({ initial: '0' }), '7', null).query).toEqual([['since', '7']]);
    expect(additionOf(cursor(), null, PREFER)).toEqual({ query: [], headers: [['Prefer', 'wait=25']] });
  });

  test('of a loop without a cursor may still ask to be held', () => {
    expect(additionOf(null, '7', PREFER)).toEqual({ query: [], headers: [['Prefer', 'wait=25']] });
    expect(additionOf(null, null, null)).toEqual({ query: [], headers: [] });
  });
});

describe('a server', () => {
  test.each([400, 409, 410, 414, 431])('refuses the place with a %i', (status) => {
    expect(isRefused(refused(status))).toBe(true);
  });

  test.each([401, 403, 404, 408, 412, 429, 500])('does not with a %i', (status) => {
    expect(isRefused(refused(status))).toBe(false);
  });

  test('need not be asked for a place that is too long for any URL', () => {
    expect(isRefused(failedWith({ code: 'url-too-long', message: '' }))).toBe(true);
  });

  test('does not by answering, or by not answering', () => {
    expect(isRefused(answered())).toBe(false);
    expect(isRefused(failed('network'))).toBe(false);
    const unreadable = { code: 'parse', message: '', status: 410, contentType: null } as const;
    expect(isRefused(failedWith(unreadable))).toBe(false);
  });
});

test.each([
  [null, null, false],
  ['1', null, false],
  ['1', '1', false],
  [null, '1', true],
  ['1', '2', true],
  ['2', '1', true],
])('from %s to %s a place has moved: %s', (before, after, moved) => {
  expect(advances(before, after)).toBe(moved);
});

describe('the interfaces of docs/guide/loops.md:', () => {
  test('CouchDB', () => {
    const changes = cursor({ from: at('/last_seq'), initial: '0' });
    const wait: Wait = { kind: 'query', name: 'timeout', value: '25000' };
    const answer = said(
      '{"results":[{"seq":"3-g1AAAACRe","id":"photo:7","changes":[{"rev":"1-967a00dff5e02add41819138abb3284d"}]}],' +
        '"last_seq":"3-g1AAAACReJzLYWBgYMpgTmEQTM4vTc5ISXLIzi9OzMnILy7JAcklMiTV____PyuDOZEpFyjAnmZmYm5sYoZNAx5j8liAJEMDkPoPNS4PbJyJmYGBuQk2fVkAiVo1-w","pending":0}',
    );
    expect(additionOf(changes, null, wait).query).toEqual([
      ['since', '0'],
      ['timeout', '25000'],
    ]);
    expect(additionOf(changes, cursorIn(answer, changes), wait).query[0]).toEqual([
      'since',
      '3-g1AAAACReJzLYWBgYMpgTmEQTM4vTc5ISXLIzi9OzMnILy7JAcklMiTV____PyuDOZEpFyjAnmZmYm5sYoZNAx5j8liAJEMDkPoPNS4PbJyJmYGBuQk2fVkAiVo1-w',
    ]);
  });

  test('CouchDB of old, whose places are numbers', () => {
    const changes = cursor({ from: at('/last_seq'), initial: '0' });
    expect(cursorIn(said('{"results":[],"last_seq":5}'), changes)).toBe('5');
  });

  test.each(CHANGES)('a CouchDB-compatible server: $name', ({ body, place }) => {
    expect(cursorIn(said(body), cursor({ from: at('/last_seq'), initial: '0' }))).toBe(place);
  });

  test('Consul', () => {
    const to: CursorTarget = { kind: 'query', name: 'index' };
    const health = cursor({ kind: 'state', from: { kind: 'header', name: 'X-Consul-Index' }, to });
    const answer = said('[{"Node":{"Node":"foobar"},"Service":{"Service":"redis"}}]', [
      ['content-type', 'application/json'],
      ['x-consul-index', '18446744073709551615'],
      ['x-consul-knownleader', 'true'],
    ]);
    expect(
      additionOf(health, cursorIn(answer, health), { kind: 'query', name: 'wait', value: '25s' }),
    ).toEqual({
      query: [
        ['index', '18446744073709551615'],
        ['wait', '25s'],
      ],
      headers: [],
    });
  });

  test('etcd v2', () => {
    const to: CursorTarget = { kind: 'query', name: 'waitIndex' };
    const watch = cursor({ from: at('/node/modifiedIndex'), plus: 1, to });
    const answer = said(
      '{"action":"set","node":{"key":"/foo","value":"bar","modifiedIndex":7,"createdIndex":7},' +
        '"prevNode":{"key":"/foo","value":"bar","modifiedIndex":6,"createdIndex":6}}',
      [['x-etcd-index', '7']],
    );
    expect(additionOf(watch, cursorIn(answer, watch), null)).toEqual({
      query: [['waitIndex', '8']],
      headers: [],
    });
    // {"errorCode":401,"message":"The event in requested index is outdated and cleared"}
    expect(isRefused(refused(400))).toBe(true);
  });

  test('a server that compares ETags', () => {
    const list = cursor({ kind: 'state', from: { kind: 'etag' }, to: { kind: 'if-none-match' } });
    const answer = said('[]', [['etag', 'W/"33a64df5"']]);
    expect(additionOf(list, cursorIn(answer, list), { kind: 'prefer', seconds: 25 })).toEqual({
      query: [],
      headers: [
        ['If-None-Match', 'W/"33a64df5"'],
        ['Prefer', 'wait=25'],
      ],
    });
  });
});
