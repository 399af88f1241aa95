import { afterEach, describe, expect, test, vi } from 'vitest';
import { longPollCursorOf, pollCursorOf } from './cursor-options.ts';
import type { CursorOptions, LongPollOptions } from './loop.ts';

const CURSOR: CursorOptions = { from: { header: 'X-Index' }, to: { query: 'index' } };

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Options as JavaScript may give them. */
function given(json: string): LongPollOptions {
  return JSON.parse(json);
}

function cursor(wish: object): LongPollOptions {
  return Object.assign(given('{}'), { cursor: { ...CURSOR, ...wish } });
}

function wait(wish: object): LongPollOptions {
  return Object.assign(given('{}'), { wait: wish });
}

describe('a cursor', () => {
  test('is a feed from its beginning unless it is told otherwise', () => {
    expect(pollCursorOf('get', { cursor: CURSOR })).toEqual({
      cursor: {
        kind: 'feed',
        from: { kind: 'header', name: 'X-Index' },
        plus: 0,
        to: { kind: 'query', name: 'index' },
        initial: null,
        catchUp: null,
      },
    });
  });

  test.each<[CursorOptions, object]>([
    [
      { ...CURSOR, from: 'etag', to: 'if-none-match' },
      { from: { kind: 'etag' }, to: { kind: 'if-none-match' } },
    ],
    [{ ...CURSOR, from: { body: '/a/0' } }, { from: { kind: 'body', pointer: '/a/0' } }],
    [{ ...CURSOR, to: { header: 'Last-Event-ID' } }, { to: { kind: 'header', name: 'Last-Event-ID' } }],
    [{ ...CURSOR, from: { header: 'Date' } }, { from: { kind: 'header', name: 'Date' } }],
    [
      { ...CURSOR, kind: 'state', plus: -1, catchUp: 'list' },
      { kind: 'state', plus: -1, catchUp: 'list' },
    ],
    [{ ...CURSOR, initial: 0 }, { initial: '0' }],
    [{ ...CURSOR, initial: '' }, { initial: '' }],
    [{ ...CURSOR, initial: '☃' }, { initial: '☃' }],
  ])('%j', (options, wanted) => {
    expect(pollCursorOf('get', { cursor: options }).cursor).toMatchObject(wanted);
  });

  test('is none where none is asked for', () => {
    expect(pollCursorOf('get', {})).toEqual({});
    expect(longPollCursorOf('get', {})).toEqual({ spread: 3_000 });
  });
});

describe('a wait', () => {
  test.each<[LongPollOptions, object]>([
    [{ wait: { prefer: 1 } }, { kind: 'prefer', seconds: 1 }],
    [{ wait: { prefer: 25 } }, { kind: 'prefer', seconds: 25 }],
    [{ wait: { query: 'wait', value: '25s' } }, { kind: 'query', name: 'wait', value: '25s' }],
    [{ wait: { query: 'timeout', value: 25_000 } }, { kind: 'query', name: 'timeout', value: '25000' }],
  ])('%j', (options, wanted) => {
    expect(longPollCursorOf('get', options).wait).toEqual(wanted);
  });

  test('goes with the cursor and the spread', () => {
    const declared = longPollCursorOf('get', { cursor: CURSOR, wait: { prefer: 25 }, spread: 0 });
    expect(declared).toMatchObject({ cursor: { kind: 'feed' }, wait: { kind: 'prefer' }, spread: 0 });
  });
});

describe('what is wrong is a TypeError that says so', () => {
  test.each<[LongPollOptions, string]>([
    [given('{"cursor":null}'), "Cursor of 'get' must be an object, got null"],
    [given('{"cursor":"etag"}'), "Cursor of 'get' must be an object, got a string"],
    [cursor({ form: 'etag' }), "Unknown option 'form' of the cursor of 'get'"],
    [
      cursor({ from: undefined }),
      "Cursor of 'get': 'from' must be { header: name }, { body: '/json/pointer' } or 'etag'",
    ],
    [cursor({ from: 'ETag' }), "'from' must be"],
    [cursor({ from: {} }), "'from' must be"],
    [cursor({ from: { header: 'A', body: '/a' } }), "'from' must be"],
    [cursor({ from: { query: 'a' } }), "'from' must be"],
    [
      cursor({ from: { header: 'X Index' } }),
      "Cursor of 'get': header of 'from' must be an HTTP token, got 'X Index'",
    ],
    [cursor({ from: { header: '' } }), 'must be an HTTP token'],
    [cursor({ from: { header: 'Set-Cookie' } }), "'Set-Cookie' is the browser's own and cannot be read"],
    [
      cursor({ from: { body: 'last_seq' } }),
      "body of 'from' must be a JSON pointer that begins with '/', got 'last_seq'",
    ],
    [cursor({ from: { body: '' } }), 'must be a JSON pointer'],
    [cursor({ from: { body: '/a~b' } }), 'must be a JSON pointer'],
    [cursor({ from: { body: 7 } }), "must be a JSON pointer that begins with '/', got '7'"],
    [cursor({ to: undefined }), "'to' must be { query: name }, { header: name } or 'if-none-match'"],
    [cursor({ to: 'If-None-Match' }), "'to' must be"],
    [cursor({ to: { query: '' } }), "query of 'to' must be the name of a parameter, got an empty string"],
    [cursor({ to: { query: 7 } }), 'must be the name of a parameter, got a number'],
    [cursor({ to: { query: '\ud800' } }), "query of 'to' holds half of a surrogate pair"],
    [cursor({ to: { header: 'A\nB' } }), "header of 'to' must be an HTTP token"],
    [cursor({ to: { header: 'Cookie' } }), "'Cookie' is the browser's own and cannot be set"],
    [cursor({ to: { header: 'Sec-Since' } }), 'cannot be set'],
    [cursor({ initial: null }), "'initial' must be a string or a number, got null"],
    [cursor({ initial: Number.NaN }), "'initial' must be a string or a number, got a number"],
    [cursor({ initial: '\ud800' }), "'initial' cannot be sent where 'to' has it go"],
    [cursor({ to: { header: 'X-Since' }, initial: '☃' }), "'initial' cannot be sent"],
    [cursor({ catchUp: '' }), "'catchUp' must be the name of an action, got an empty string"],
    [cursor({ catchUp: 7 }), "'catchUp' must be the name of an action, got a number"],
    [cursor({ kind: 'log' }), "Cursor of 'get': 'kind' must be 'state' or 'feed', got 'log'"],
    [given('{"wait":25}'), "Wait of 'get' must be an object, got a number"],
    [wait({ prefer: 1, value: 2 }), "Unknown option 'value' of the wait of 'get'"],
    [wait({ query: 'a', value: 1, seconds: 2 }), "Unknown option 'seconds' of the wait of 'get'"],
    [wait({}), "Wait of 'get': 'query' must be the name of a parameter"],
    [wait({ query: 'wait' }), "Wait of 'get': 'value' must be a string or a number"],
    [
      { cursor: CURSOR, wait: { query: 'index', value: 1 } },
      "Wait of 'get': 'index' is where its cursor goes",
    ],
  ])('%j', (options, message) => {
    expect(() => longPollCursorOf('get', options)).toThrow(TypeError);
    expect(() => longPollCursorOf('get', options)).toThrow(message);
  });
});

describe('a number out of its range is a RangeError', () => {
  test.each<[LongPollOptions, string]>([
    [cursor({ plus: 0.5 }), "Cursor of 'get': 'plus' must be a whole number, got 0.5"],
    [cursor({ plus: 2 ** 53 }), "'plus' must be a whole number"],
    [cursor({ plus: '1' }), "'plus' must be a whole number, got 1"],
    [wait({ prefer: 0 }), "Wait of 'get': 'prefer' must be a whole number of seconds from 1 to 25, got 0"],
    [wait({ prefer: 26 }), 'got 26'],
    [wait({ prefer: 1.5 }), 'got 1.5'],
    [wait({ prefer: '25' }), 'from 1 to 25, got 25'],
    [{ spread: -1 }, "Spread of 'get' must be from 0 to 3600000 ms, got -1"],
    [{ spread: 3_600_001 }, 'got 3600001'],
    [{ spread: Number.NaN }, 'got NaN'],
  ])('%j', (options, message) => {
    expect(() => longPollCursorOf('get', options)).toThrow(RangeError);
    expect(() => longPollCursorOf('get', options)).toThrow(message);
  });

  test('and the ends of a range are in it', () => {
    expect([0, 3_600_000].map((spread) => longPollCursorOf('get', { spread }).spread)).toEqual([
      0, 3_600_000,
    ]);
  });
});

describe('in production builds', () => {
  test('what a compiler has read is not looked at again', () => {
    vi.stubEnv('NODE_ENV', 'production');
    const options = [cursor({ form: 'etag' }), cursor({ plus: 0.5 }), wait({ query: 'wait', seconds: 2 })];
    expect(options.map((each) => longPollCursorOf('get', each))).toMatchObject([
      { cursor: { kind: 'feed' } },
      { cursor: { plus: 0.5 } },
      { wait: { kind: 'query', name: 'wait' } },
    ]);
  });

  test.each<[LongPollOptions, string]>([
    [cursor({ initial: null }), "'initial' must be a string or a number"],
    [cursor({ initial: '\ud800' }), "'initial' cannot be sent"],
    [wait({ prefer: 26 }), 'must be a whole number of seconds from 1 to 25'],
    [{ spread: -1 }, 'must be from 0 to 3600000 ms'],
  ])('what may come from anywhere is: %j', (options, message) => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => longPollCursorOf('get', options)).toThrow(message);
  });
});
