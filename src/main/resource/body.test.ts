import { describe, expect, test } from 'vitest';
import { encodeBody, unreadable } from './body.ts';
import type { EncodedBody, RequestData } from './body.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

function encode(
  data: RequestData,
  { method = 'POST', type = null }: { readonly method?: string; readonly type?: string | null } = {},
): EncodedBody | Promise<EncodedBody> {
  return encodeBody('add', method, data, type);
}

/** The text of a body that is read by the platform. */
async function read(data: RequestData, type: string | null = null): Promise<[string, string | null]> {
  const { body, contentType } = await encode(data, { type });
  return [body.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : body.kind, contentType];
}

/** Vitest takes any two buffers for equal: their bytes are to be compared. */
function bytesOf(encoded: EncodedBody | Promise<EncodedBody>): number[] | null {
  if (encoded instanceof Promise || encoded.body.kind !== 'bytes') return null;
  return [...new Uint8Array(encoded.body.bytes)];
}

class Photo {
  readonly id = 1;
}

const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

test.each([undefined, null])('nothing is no body: %s', (data) => {
  expect(encode(data)).toEqual({ body: { kind: 'none' }, contentType: null });
  expect(encode(data, { type: JSON_TYPE })).toEqual({ body: { kind: 'none' }, contentType: null });
});

describe('a form', () => {
  test.each<[object, string]>([
    [{}, ''],
    [{ a: 'x y', b: 1, c: true, d: 5n }, 'a=x+y&b=1&c=true&d=5'],
    [{ a: ['x', 1, null, 'y'], b: [] }, 'a=x&a=1&a=y'],
    [{ a: null, b: undefined, c: '' }, 'c='],
    [{ at: new Date(0) }, 'at=1970-01-01T00%3A00%3A00.000Z'],
    [{ 'a&b': 'ä=' }, 'a%26b=%C3%A4%3D'],
  ])('is made of flat fields: %o', (data, text) => {
    expect(encode(data)).toEqual({ body: { kind: 'text', text }, contentType: FORM });
  });

  test.each<[string, RequestData]>([
    ['a number', 1],
    ['a boolean', true],
    ['a list', [1]],
    ['an object of a class', new Photo()],
    ['a date', new Date(0)],
    ['an object in a field', { a: { b: 1 } }],
    ['a list in a list', { a: [['b']] }],
    ['an object of a class in a field', { a: new Photo() }],
    ['a date that is none', { a: new Date(Number.NaN) }],
    ['a function', { a: (): void => {} }],
  ])('is not made of %s, and the error says what to do', (_name, data) => {
    expect(() => encode(data)).toThrow(TypeError);
    expect(() => encode(data)).toThrow(/'add' .*For JSON, set the header 'Content-Type: application\/json'/);
  });

  test('goes under another type of text as well', () => {
    expect(encode({ a: 1 }, { type: 'text/plain' })).toMatchObject({ body: { kind: 'text', text: 'a=1' } });
  });
});

describe('JSON', () => {
  test.each([JSON_TYPE, 'text/json', 'application/merge-patch+json; charset=utf-8'])('under %s', (type) => {
    expect(encode({ a: [1] }, { type })).toEqual({
      body: { kind: 'text', text: '{"a":[1]}' },
      contentType: null,
    });
  });

  test.each<[RequestData, string]>([
    ['{"as":"given"}', '{"as":"given"}'],
    [[1, null], '[1,null]'],
    [1, '1'],
    [false, 'false'],
    [new Photo(), '{"id":1}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('is made of anything that has a form in it: %o', (data, text) => {
    expect(encode(data, { type: JSON_TYPE })).toMatchObject({ body: { kind: 'text', text } });
  });

  test.each<[string, RequestData]>([
    ['a cycle', CYCLE],
    ['a bigint', { a: 1n }],
    ['a function', (): void => {}],
    ['a promise', Promise.resolve({ a: 1 })],
    ['a map', { a: new Map([['b', 1]]) }],
    ['a set', [new Set([1])]],
    ['a stream', new ReadableStream()],
  ])('is not made of %s', (_name, data) => {
    expect(() => encode(data, { type: JSON_TYPE })).toThrow(TypeError);
    expect(() => encode(data, { type: JSON_TYPE })).toThrow(/'add'/);
  });
});

describe('text', () => {
  test('is a form unless its type says otherwise', () => {
    expect(encode('a=1')).toEqual({ body: { kind: 'text', text: 'a=1' }, contentType: FORM });
  });

  test('of URLSearchParams is one, as fetch has it', () => {
    expect(encode(new URLSearchParams({ a: 'x y' }))).toEqual({
      body: { kind: 'text', text: 'a=x+y' },
      contentType: `${FORM};charset=UTF-8`,
    });
  });
});

describe('bytes', () => {
  const BYTES = new Uint8Array([1, 2, 3, 4]);

  test.each<[string, RequestData, number[]]>([
    ['a buffer', BYTES.buffer, [1, 2, 3, 4]],
    ['a view of part of one', new Uint8Array(BYTES.buffer, 1, 2), [2, 3]],
    ['a DataView', new DataView(BYTES.buffer, 3), [4]],
  ])('are those of %s, without a type', (_name, data, bytes) => {
    for (const type of [null, JSON_TYPE]) {
      const encoded = encode(data, { type });
      expect(encoded).toMatchObject({ body: { kind: 'bytes' }, contentType: null });
      expect(bytesOf(encoded)).toEqual(bytes);
    }
  });

  test.each([
    ['a buffer', (bytes: Uint8Array): RequestData => bytes.buffer],
    ['a view', (bytes: Uint8Array): RequestData => bytes],
  ])('are a copy: %s', (_name, dataOf) => {
    const bytes = new Uint8Array([1, 2]);
    const encoded = encode(dataOf(bytes));
    bytes.fill(9);
    expect(bytesOf(encoded)).toEqual([1, 2]);
  });

  test('of a Blob are read by the platform, with its type', async () => {
    expect(await read(new Blob(['hello'], { type: 'text/plain' }))).toEqual(['hello', 'text/plain']);
    expect(await read(new Blob(['{}']), JSON_TYPE)).toEqual(['{}', null]);
  });

  test('of a FormData are multipart, with their boundary in the type', async () => {
    const form = new FormData();
    form.append('a', 'x');
    form.append('file', new File(['hello'], 'a.txt', { type: 'text/plain' }));
    const [text, type] = await read(form);
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type ?? '')?.[1];
    expect(text.split(`--${boundary}`)).toHaveLength(4);
    expect(text).toContain('filename="a.txt"');
  });
});

describe.each(['GET', 'HEAD'])('data of a %s', (method) => {
  const fields = new FormData();
  fields.append('a', '1');
  fields.append('a', 'ä');

  test.each<[string, RequestData, string]>([
    ['an object', { a: [1, 2], b: null }, 'a=1&a=2'],
    ['text, as it is', '?a=ä b', '?a=ä b'],
    ['URLSearchParams', new URLSearchParams({ a: 'x y' }), 'a=x+y'],
    ['a FormData of text', fields, 'a=1&a=%C3%A4'],
  ])('joins the query: %s', (_name, data, text) => {
    expect(encode(data, { method })).toEqual({ body: { kind: 'query', text }, contentType: null });
    expect(encode(data, { method, type: JSON_TYPE })).toMatchObject({ body: { kind: 'query', text } });
  });

  test.each<[string, RequestData]>([
    ['a number', 1],
    ['a list', [1]],
    ['a buffer', new ArrayBuffer(1)],
    ['a view', new Uint8Array(1)],
    ['a Blob', new Blob(['a'])],
    ['an object of a class', new Photo()],
  ])('cannot be %s', (_name, data) => {
    expect(() => encode(data, { method })).toThrow(
      `Data of 'add' cannot join the query of a ${method}: it is`,
    );
  });

  test('cannot hold a file', () => {
    const form = new FormData();
    form.append('picture', new Blob(['a']));
    expect(() => encode(form, { method })).toThrow(
      `Data of 'add' cannot join the query of a ${method}: 'picture' is a file`,
    );
  });

  test('cannot be nested', () => {
    expect(() => encode({ a: { b: 1 } }, { method })).toThrow(TypeError);
  });
});

test('a file that is gone makes a failure that names the action', () => {
  expect(unreadable('add', new Error('NotFoundError'))).toEqual({
    code: 'protocol',
    message: "Data of 'add' could not be read: Error: NotFoundError",
  });
});
