import { describe, expect, it } from 'vitest';
import type { Params } from '../../shared/invocation.ts';
import { locate } from './expansion.ts';
import { invocation } from './invocation.fixture.ts';

const PAGE = 'https://page.example';
const API = 'https://api.example';

describe('values that are refused', () => {
  it.each<[template: string, values: Record<string, string | string[]>, reason: RegExp]>([
    // Dot segments, raw and encoded
    ['/photo/{id}', { id: '.' }, /\{id\} is '\.'.*reads '\.' or '\.\.'/],
    ['/photo/{id}', { id: '..' }, /\{id\} is '\.\.'/],
    ['/photo/{id}/edit', { id: '..' }, /reads/],
    ['/photo{/id}', { id: '..' }, /reads/],
    ['/photo{/path*}', { path: ['a', '..', 'b'] }, /reads/],
    ['/photo/{+rest}', { rest: '..' }, /reads/],
    ['/photo/{+rest}', { rest: 'a/../b' }, /reads/],
    ['/photo/{+rest}', { rest: 'a/./b' }, /reads/],
    ['/photo/{+rest}', { rest: '%2e%2e' }, /reads/],
    ['/photo/{+rest}', { rest: 'a/%2E%2e/b' }, /reads/],
    ['/photo/{+rest}', { rest: '.%2E' }, /reads/],
    ['/photo/{+rest}', { rest: '%2e' }, /reads/],
    ['/photo/{+rest}', { rest: '..;x=1/admin' }, /reads/],
    ['/photo/{id}', { id: '..;x' }, /reads/],
    ['/photo/{id}', { id: '.;' }, /reads/],
    ['/photo/{+rest}', { rest: '..?a' }, /reads/],
    ['/photo/{+rest}', { rest: '..#a' }, /reads/],
    // A server that decodes `%2F` before it splits
    ['/photo/{id}', { id: '../admin' }, /reads/],
    ['/photo/{id}', { id: 'a/..' }, /reads/],
    // Dots that only join to a dot segment
    ['/photo/.{id}', { id: '.' }, /reads/],
    ['/photo/{id}.', { id: '.' }, /reads/],
    ['/photo/{id}..', { id: '' }, /reads/],
    ['/photo/..{id}', { id: '' }, /reads/],
    ['/photo/{name}.{type}', { name: '', type: '' }, /reads/],
    ['/photo/{a}{b}', { a: '.', b: '.' }, /\{a\} is '\.' and \{b\} is '\.'/],
    ['/photo/x{.type}{;v}', { type: '/..' }, /reads/],
    ['/photo/..{;v}', { v: '1' }, /reads/],
    // Backslashes and control characters
    ['/photo/{id}', { id: 'a\\b' }, /backslash or control/],
    ['/photo/{+rest}', { rest: '..\\..\\x' }, /backslash or control/],
    ['/photo/{+rest}', { rest: '%5c..' }, /backslash or control/],
    ['/photo/{id}', { id: 'a\u0000' }, /backslash or control/],
    ['/photo/{id}', { id: 'a\r\nHost: x' }, /backslash or control/],
    ['/photo/{+rest}', { rest: 'a%0d%0Ab' }, /backslash or control/],
    ['/photo/{id}', { id: '\u007F' }, /backslash or control/],
    ['/photo/{id}', { id: '\u0085' }, /backslash or control/],
    ['/photo{;id}', { id: '\t' }, /backslash or control/],
    // Another origin
    ['{+url}', { url: 'https://evil.example/' }, /lead to 'https:\/\/evil\.example'/],
    ['{+url}', { url: '//evil.example/app/' }, /lead to/],
    ['{+url}', { url: '///evil.example/app/' }, /lead to/],
    ['{+url}', { url: 'http://page.example/app/' }, /lead to/],
    ['{+url}', { url: 'https://page.example:8443/app/' }, /lead to/],
    ['{/path*}', { path: ['', 'evil.example'] }, /lead to/],
    ['/{+rest}', { rest: '/evil.example' }, /lead to/],
    ['https://{host}/', { host: 'evil.example' }, /lead to/],
    ['https://{+host}/', { host: 'evil.example' }, /lead to/],
    ['https://api.example{+rest}', { rest: '.evil.example' }, /lead to/],
    ['https://api.example{+rest}', { rest: ':8443' }, /lead to/],
    ['https:{+rest}', { rest: '//evil.example' }, /lead to/],
    // Not http
    ['{+url}', { url: 'javascript:alert(1)' }, /neither http: nor https:/],
    ['{+url}', { url: 'data:text/html,x' }, /neither/],
    ['{+url}', { url: 'file:///etc/passwd' }, /neither/],
    ['{+url}', { url: 'blob:https://page.example/x' }, /neither/],
    // User names
    ['https://api.example{+rest}', { rest: '@evil.example/' }, /user name/],
    ['https://api.example{+rest}', { rest: ':x@api.example/' }, /user name/],
    ['https://{+user}@api.example/', { user: 'a:b' }, /user name/],
    ['{+url}', { url: 'https://me@page.example/app/' }, /user name/],
    // Above the directory of the base
    ['{+url}', { url: '/admin' }, /lead to '\/admin', outside of '\/app\/'/],
    ['{+url}', { url: 'https://page.example/admin' }, /outside/],
    ['{+url}', { url: 'https:/admin' }, /outside/],
    // A name that cuts off what follows
    [
      '/files/{+path}/versions/{v}',
      { path: 'plan #2.txt', v: '3' },
      /\{\+path\} is 'plan%20#2.txt', whose '#' cuts off '\/versions\/3'/,
    ],
    ['/files/{+path}/versions/{v}', { path: 'why?.txt', v: '3' }, /whose '\?' cuts off/],
    ['/files/{+path}/content?draft=1', { path: 'a/issue#7' }, /whose '#' cuts off/],
    ['/files/{+path}{?rev}', { path: 'a#b', rev: '3' }, /whose '#' cuts off '\?rev=3'/],
    ['/files/{+path}{?rev}', { path: 'a?b', rev: '3' }, /whose '\?' cuts off/],
    ['/search?q={+q}&page=1', { q: 'a#b' }, /whose '#' cuts off '&page=1'/],
    ['/files/{+path}{+more}', { path: 'a?b', more: 'c' }, /whose '\?' cuts off 'c'/],
    // No URL at all
    ['https://api.example:{port}/', { port: 'x' }, /is no URL at/],
    ['https://api.example{+rest}', { rest: ':99999' }, /is no URL at/],
    ['https://{+host}/', { host: '[' }, /is no URL at/],
  ])('%s with %j', (template, values, reason) => {
    const located = locate(invocation(template, Object.entries(values), { origins: [API] }));
    expect(located).toEqual({
      kind: 'refused',
      failure: { code: 'blocked-url', message: expect.stringMatching(reason) },
    });
    expect(located).toHaveProperty('failure.message', expect.stringContaining(`'${template}'`));
  });
});

describe('values that are sent', () => {
  it.each<[template: string, values: Record<string, string | string[]>, path: string]>([
    ['/photo/{id}', { id: '%2e%2e' }, '/photo/%252e%252e'],
    ['/photo/{+rest}', { rest: '%252e%252e' }, '/photo/%252e%252e'],
    ['/photo/{id}', { id: '%252e' }, '/photo/%25252e'],
    ['/photo/{id}', { id: '...' }, '/photo/...'],
    ['/photo/{id}', { id: '..a' }, '/photo/..a'],
    ['/photo/{id}', { id: '.hidden' }, '/photo/.hidden'],
    ['/photo/{id}', { id: 'a/b' }, '/photo/a%2Fb'],
    ['/photo/{id}', { id: '//evil.example' }, '/photo/%2F%2Fevil.example'],
    ['/photo/{id}', { id: 'javascript:alert(1)' }, '/photo/javascript%3Aalert%281%29'],
    ['/photo/{id}', { id: 'a@b' }, '/photo/a%40b'],
    ['/photo/{+rest}', { rest: 'a@b:c' }, '/photo/a@b:c'],
    ['/photo/{+rest}', { rest: '/a//b/' }, '/photo//a//b/'],
    ['/photo/{+rest}', { rest: 'https://evil.example' }, '/photo/https://evil.example'],
    ['/photo/{+rest}', { rest: 'a?b=../..' }, '/photo/a?b=../..'],
    ['/photo/{+rest}', { rest: 'a#../..' }, '/photo/a'],
    ['/photo/{+rest}{?size}', { rest: 'a#b' }, '/photo/a'],
    ['/photo/{+rest}{?size}', { rest: 'a?b' }, '/photo/a?b'],
    ['/photo/{+rest}{#part}', { rest: 'a?b', part: 'c' }, '/photo/a?b'],
    ['/photo/{+rest}#part', { rest: 'a#b' }, '/photo/a'],
    ['{+next}{&size}&all=1', { next: 'photos?page=2', size: '3' }, '/app/photos?page=2&size=3&all=1'],
    ['/photo{?a}&q={+q}/x', { a: '1', q: 'y?z' }, '/photo?a=1&q=y?z/x'],
    ['/photo/{id}/x', { id: 'a?b#c' }, '/photo/a%3Fb%23c/x'],
    ['/photo/{id}/x', { id: '' }, '/photo//x'],
    ['/photo/{id}', { id: '\u{10FFFF}' }, '/photo/%F4%8F%BF%BF'],
    ['/search{?q}', { q: '../..\\\r\n\u0000' }, '/search?q=..%2F..%5C%0D%0A%00'],
    ['/search?q={+q}', { q: '/../\\' }, '/search?q=/../%5C'],
    ['/search?q={+q}', { q: '..' }, '/search?q=..'],
    ['{/a,b}', { a: 'x', b: 'y' }, '/x/y'],
    ['{/a}', {}, '/app/index.html'],
    ['{+a}', { a: 'below' }, '/app/below'],
    ['{+a}', { a: 'https://page.example/app/below' }, '/app/below'],
  ])('%s with %j', (template, values, path) => {
    expect(locate(invocation(template, Object.entries(values)))).toEqual({
      kind: 'located',
      url: PAGE + path,
    });
  });
});

describe('literal text', () => {
  const id: Params = [['id', '1']];

  it.each([
    ['/photo/../video/{id}', '/video/1'],
    ['../{id}', '/1'],
    ['/photo/{id}/../all', '/photo/all'],
    ['/photo/{id}/../../all', '/all'],
    ['/photo/{id}/..', '/photo/'],
    ['/photo/{id}/..{?x}', '/photo/'],
    ['/photo/old/..{/id}', '/photo/1'],
    ['/photo/%2e%2e/{id}', '/1'],
    ['/photo/%5C/{id}', '/photo/%5C/1'],
    ['/photo/%00/{id}', '/photo/%00/1'],
  ])('may climb and hold what values may not: %s', (template, path) => {
    expect(locate(invocation(template, id))).toEqual({ kind: 'located', url: PAGE + path });
  });

  it('does not let values climb where it climbs itself', () => {
    const params: Params = [['id', '..']];
    expect(locate(invocation('/photo/a/../{id}', params)).kind).toBe('refused');
    expect(locate(invocation('/photo/{id}/..', params)).kind).toBe('refused');
    expect(locate(invocation('/a/b{/id}/../../c')).kind).toBe('refused');
  });

  it('is asked over http and https only', () => {
    for (const template of [
      'javascript:alert(1)',
      'data:,x',
      'file:///x',
      'ws://page.example/',
      'mailto:a@b.c',
    ]) {
      expect(locate(invocation(template))).toHaveProperty('failure.code', 'blocked-url');
    }
  });

  it('cannot carry a user name, which fetch refuses', () => {
    expect(locate(invocation('https://a:b@page.example/'))).toHaveProperty(
      'failure.message',
      expect.stringMatching(/user name/),
    );
  });
});

describe('the origin', () => {
  it('that the author wrote into the template may be asked, whatever the connection names', () => {
    for (const origins of [[], [API], ['https://other.example']]) {
      for (const template of ['https://api.example/x', 'https://api.example/{id}']) {
        expect(locate(invocation(template, [['id', 'x']], { origins }))).toEqual({
          kind: 'located',
          url: 'https://api.example/x',
        });
      }
    }
  });

  it('is not changed by values even to one that is named', () => {
    expect(locate(invocation('{+url}', [['url', `${API}/app/`]], { origins: [API] })).kind).toBe('refused');
  });

  it('of a page without one is nobody else', () => {
    for (const documentUrl of ['about:blank', 'data:text/html,x', 'no url']) {
      expect(locate(invocation('/x', [], { documentUrl })).kind).toBe('refused');
    }
  });
});
