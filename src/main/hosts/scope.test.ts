import { afterEach, expect, test, vi } from 'vitest';
import { scopeName, scopeOf } from './service-worker.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['/service-worker.js', null, 'https://page.example/'],
  ['/app/service-worker.js', null, 'https://page.example/app/'],
  ['sw.js', null, 'https://page.example/blog/'],
  ['/service-worker.js', '/app/', 'https://page.example/app/'],
  ['/service-worker.js', 'a/', 'https://page.example/blog/a/'],
  ['/service-worker.js', '/app?user=1', 'https://page.example/app?user=1'],
])('a worker %s of scope %s serves %s', (script, scope, expected) => {
  expect(scopeOf({ script, scope }, 'https://page.example/blog/post.html').href).toBe(expected);
});

test('an engine goes by the path of its scope', () => {
  vi.stubGlobal('document', { baseURI: 'https://page.example/blog/post.html' });
  expect(scopeName({ script: 'sw.js', scope: null })).toBe('/blog/');
  expect(scopeName({ script: '/sw.js', scope: '/app?user=1' })).toBe('/app?user=1');
});

test.each([
  ['a process', undefined],
  ['a document without a base', { baseURI: 'data:text/html,hello' }],
])('%s has one all the same', (_what, document) => {
  vi.stubGlobal('document', document);
  expect(scopeName({ script: '/app/sw.js', scope: null })).toBe('/app/');
});
