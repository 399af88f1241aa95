import { describe, expect, test } from 'vitest';
import { DEFAULT_ACCEPT } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { leftOut } from '../../shared/outbox.ts';
import type { AnswerBody } from '../../shared/outcome.ts';
import { looksLikePortal, prefersJson, suspectOf } from './portal.ts';

function type(contentType: string | null): Header[] {
  return contentType === null ? [] : [['Content-Type', contentType]];
}

function accepting(accept: string | null): Header[] {
  return accept === null ? [] : [['accept', accept]];
}

describe('after JSON, whatever was asked for', () => {
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
    const suspect = { asked: [], before: type(previous), headers: type(next), size: 7 };
    expect(looksLikePortal(suspect)).toBe(expected);
  });
});

describe('at first contact', () => {
  test.each([
    [DEFAULT_ACCEPT, 'text/html', 7, true],
    [DEFAULT_ACCEPT, 'application/xhtml+xml', 7, true],
    [DEFAULT_ACCEPT, 'text/html', 0, false],
    [DEFAULT_ACCEPT, 'text/plain', 7, false],
    [DEFAULT_ACCEPT, null, 7, false],
    ['text/html', 'text/html', 7, false],
    [null, 'text/html', 7, false],
  ])(
    '%s is asked for, and %s of that many bytes comes, %i: a portal is %s',
    (accept, next, size, expected) => {
      const suspect = { asked: accepting(accept), before: null, headers: type(next), size };
      expect(looksLikePortal(suspect)).toBe(expected);
    },
  );
});

test.each([
  [DEFAULT_ACCEPT, true],
  ['application/json', true],
  ['application/vnd.api+json;q=0.9, text/*;q=0.5', true],
  ['application/json; Q=0.8, TEXT/HTML; q=0.7', true],
  ['application/json, text/html;q=0, */*', true],
  ['application/json;q=0.5, */*', false],
  ['application/json, text/html', false],
  ['text/html, application/json;q=0.9', false],
  ['text/html, */*', false],
  ['application/json;q=0, text/csv', false],
  ['text/csv', false],
  ['*/*', false],
  ['', false],
  [null, false],
])('%j prefers JSON to HTML: %s', (accept, expected) => {
  expect(prefersJson(accept)).toBe(expected);
});

test.each<[string, AnswerBody, boolean]>([
  ['an empty body', { kind: 'value', value: null, size: 0 }, false],
  ['a page of text', { kind: 'value', value: '<h1>', size: 4 }, true],
  ['a body that was not read to its end', leftOut(0), true],
])('a refusal with %s in the place of JSON', (_which, body, expected) => {
  const answer = { status: 403, headers: type('text/html'), body };
  expect(looksLikePortal(suspectOf(answer, accepting(DEFAULT_ACCEPT), null))).toBe(expected);
});
