import { describe, expect, test } from 'vitest';
import { DEFAULT_ACCEPT } from '../../shared/header.ts';
import { RequestDraft } from './prepare.ts';

function draft(): RequestDraft {
  return new RequestDraft({
    action: 'get',
    method: 'GET',
    template: '/photo/{id}',
    params: { id: 1 },
    data: null,
    timeout: 1_000,
    credentials: 'same-origin',
  });
}

/** Sets what the compiler would refuse. */
function set(name: unknown, value: unknown): () => void {
  const request = draft();
  const header: [string, string] = JSON.parse('[]');
  Object.assign(header, [name, value]);
  return () => request.setRequestHeader(...header);
}

test('a draft shows what the call is', () => {
  expect(draft()).toMatchObject({
    action: 'get',
    method: 'GET',
    template: '/photo/{id}',
    params: { id: 1 },
    data: null,
    timeout: 1_000,
    credentials: 'same-origin',
    headers: [['Accept', DEFAULT_ACCEPT]],
  });
});

test('its method and its URL, which is the template, have their classic names', () => {
  expect([draft().getMethod(), draft().getUrl()]).toEqual(['GET', '/photo/{id}']);
});

describe('headers', () => {
  test('are set, read and removed, whatever their case', () => {
    const request = draft();
    request.setRequestHeader('X-One', '1');
    request.setRequestHeader('x-one', ' 2 ');
    expect(request.getRequestHeader('X-ONE')).toBe('2');
    expect(request.headers).toEqual([
      ['Accept', DEFAULT_ACCEPT],
      ['x-one', '2'],
    ]);
    request.removeRequestHeader('X-One');
    expect(request.getRequestHeader('x-one')).toBeNull();
    expect(request.headers).toEqual([['Accept', DEFAULT_ACCEPT]]);
  });

  test('have a setter of their own for Accept', () => {
    const request = draft();
    request.setAccept('text/csv');
    expect(request.headers).toEqual([['Accept', 'text/csv']]);
  });

  test('of a request that goes without Accept say what fetch sends then, which is not the default', () => {
    const request = draft();
    request.removeRequestHeader('accept');
    expect(request.headers).toEqual([['Accept', '*/*']]);
  });

  test.each(['', 'X One', 'X:One', 'X-Öne', 'X\n', undefined, 1])('may not be named %j', (name) => {
    expect(set(name, '1')).toThrow(/is not an HTTP token/);
  });

  test.each(['a\nb', 'a\r\nInjected: 1', '\0', '\u007f', '€', '😀', undefined, null, 1])(
    'may not have the value %j',
    (value) => {
      expect(set('X-One', value)).toThrow(/Value of header 'X-One' must be a string of Latin-1/);
    },
  );

  test.each(['', 'a\tb', 'ÄÖÜ ÿ', '~'])('may have the value %j', (value) => {
    expect(set('X-One', value)).not.toThrow();
  });

  test.each([
    'Cookie',
    'HOST',
    'content-length',
    'Origin',
    'Referer',
    'Sec-Fetch-Mode',
    'Proxy-Authorization',
  ])('that are the browser’s own are refused, since fetch would drop them: %s', (name) => {
    expect(set(name, '1')).toThrow(`Header '${name}' is the browser's own and cannot be set`);
  });

  test.each(['Authorization', 'If-None-Match', 'Content-Type', 'Secret', 'Proxy', 'User-Agent'])(
    'that are not may be set: %s',
    (name) => {
      expect(set(name, '1')).not.toThrow();
    },
  );
});
