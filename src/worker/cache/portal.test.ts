import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { looksLikePortal } from './storable.ts';

function type(contentType: string | null): Header[] {
  return contentType === null ? [] : [['Content-Type', contentType]];
}

test.each([
  ['application/json', 'text/html; charset=utf-8', true],
  ['application/hal+json', 'application/xhtml+xml', true],
  ['application/json', 'TEXT/HTML', true],
  ['application/json', 'application/json', false],
  ['application/json', 'text/plain', false],
  ['application/json', null, false],
  ['text/html', 'text/html', false],
  [null, 'text/html', false],
])('%s, then %s: a portal is %s', (previous, next, expected) => {
  expect(looksLikePortal(type(previous), type(next))).toBe(expected);
});
