import { describe, expect, test } from 'vitest';
import type { Answer } from '../../shared/outcome.ts';
import { contentOf, outcomeOf, responseOf } from './entry.ts';
import { WRITE } from './write.fixture.ts';

const DELETE = { method: 'DELETE', template: '/photos/{id}' };

function answer(status: number): Answer {
  return { status, headers: [], body: { kind: 'value', value: { error: 'not found' }, size: 21 } };
}

/** The data of a write that were given as bytes of this text. */
function data(text: string, type: string): unknown {
  const { buffer: bytes } = new TextEncoder().encode(text);
  return contentOf({ params: [], headers: [['Content-Type', type]], body: { kind: 'bytes', bytes } }).data;
}

describe('the outcome of a queued call', () => {
  test('names the URL that was asked', () => {
    const url = 'https://page.example/photos/7';
    const { request } = outcomeOf(DELETE, { ...WRITE, state: 'done', answer: answer(200), url });
    expect(request).toMatchObject({ method: 'DELETE', url });
  });

  test('names the template where nothing was asked', () => {
    const failure = { code: 'storage', message: 'gone' } as const;
    const { request } = outcomeOf(DELETE, { ...WRITE, state: 'review', failure });
    expect(request).toMatchObject({ url: '/photos/{id}' });
  });

  test('has the response of a refusal', () => {
    const failure = { code: 'http', message: 'no', status: 404, body: null } as const;
    const write = { ...WRITE, state: 'review', attempts: 1, failure, answer: answer(404) } as const;
    expect(outcomeOf(DELETE, write)).toMatchObject({ kind: 'failed', failure, answer: answer(404) });
    expect(responseOf(write)).toEqual({ error: 'not found' });
  });
});

describe('the data of a write that were given as bytes', () => {
  test('are a value where they are JSON, and an object of its fields where they are a form', () => {
    expect(data('{"title":"Dämmerung"}', 'application/json')).toEqual({ title: 'Dämmerung' });
    expect(data('title=Dusk&tag=a&tag=b', 'application/x-www-form-urlencoded')).toEqual({
      title: 'Dusk',
      tag: ['a', 'b'],
    });
  });

  test.each([
    ['{"title":', 'application/json'],
    ['{"title":"Dusk"}', 'text/plain'],
  ])('are a Blob where they are not: %s as %s', (text, type) => {
    expect(data(text, type)).toBeInstanceOf(Blob);
  });
});
