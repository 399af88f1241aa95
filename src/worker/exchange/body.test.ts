import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { parseBody } from './body.ts';
import type { Parsed } from './body.ts';

function parse(text: string | Uint8Array<ArrayBuffer>, type: string | null, status = 200): Parsed {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const headers: Header[] = type === null ? [] : [['Content-Type', type]];
  return parseBody(bytes.slice().buffer, headers, status);
}

test.each(['application/json', 'text/json', 'application/problem+json; charset=utf-8', 'Application/JSON'])(
  '%s is parsed, and says how long its text was',
  (type) => {
    expect(parse('{"a":[1,null]}', type)).toEqual({
      kind: 'parsed',
      body: { kind: 'value', value: { a: [1, null] }, size: 14 },
    });
  },
);

test.each(['application/json', 'text/plain', 'image/png', null])(
  'an empty body is null, whatever its type: %s',
  (type) => {
    expect(parse('', type)).toEqual({ kind: 'parsed', body: { kind: 'value', value: null, size: 0 } });
  },
);

test.each(['text/plain', 'text/html', 'application/xml', 'application/atom+xml', 'image/svg+xml', null])(
  'text stays text: %s',
  (type) => {
    expect(parse('<a/>', type)).toEqual({ kind: 'parsed', body: { kind: 'value', value: '<a/>', size: 4 } });
  },
);

test.each(['image/png', 'application/octet-stream', 'application/pdf'])('the rest is bytes: %s', (type) => {
  const { buffer } = new Uint8Array([1, 2, 3]);
  const parsed = parseBody(buffer, [['Content-Type', type]], 200);
  expect(parsed).toMatchObject({ kind: 'parsed', body: { kind: 'bytes', type } });
  expect(parsed.kind === 'parsed' && parsed.body.kind === 'bytes' && parsed.body.bytes).toBe(buffer);
});

test.each([
  ['text/plain; charset=iso-8859-1', [0xe4], 'ä'],
  ['text/plain; charset="utf-16le"', [0xac, 0x20], '€'],
  ['text/plain', [0xc3, 0xa4], 'ä'],
  ['text/plain; charset=klingon', [0xc3, 0xa4], 'ä'],
])('text is decoded by its charset: %s', (type, bytes, expected) => {
  expect(parse(new Uint8Array(bytes), type)).toMatchObject({ body: { value: expected } });
});

test('JSON that is none is unreadable, with its text', () => {
  expect(parse('{"a":', 'application/json', 201)).toMatchObject({
    kind: 'unreadable',
    failure: { code: 'parse', status: 201, contentType: 'application/json' },
    text: '{"a":',
  });
});

test('JSON that is nested deeper than a page can be told is unreadable', () => {
  expect(parse(nested(1_001), 'application/json')).toMatchObject({
    kind: 'unreadable',
    failure: { code: 'parse', message: 'The answer is nested more than 1000 levels deep' },
  });
});

test.each([
  ['1,000 levels', nested(1_000)],
  ['2,000 lists in a row', `[${'[],'.repeat(2_000)}[]]`],
  ['brackets in a text', JSON.stringify({ a: '["{\\'.repeat(2_000) })],
])('JSON is not too deep for %s', (_, text) => {
  expect(parse(text, 'application/json')).toMatchObject({
    kind: 'parsed',
    body: { value: JSON.parse(text) },
  });
});

test('`__proto__` is a key like any other', () => {
  const parsed = parse('{"__proto__":{"polluted":1}}', 'application/json');
  expect(JSON.stringify(parsed)).toContain('"__proto__":{"polluted":1}');
  expect({}).not.toHaveProperty('polluted');
});

function nested(levels: number): string {
  return '['.repeat(levels - 1) + '{}' + ']'.repeat(levels - 1);
}
