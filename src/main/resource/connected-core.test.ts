import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentUrlOf } from './connected-core.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a document decides where there is one', () => {
  vi.stubGlobal('document', { baseURI: 'https://page.example/app/' });
  expect(documentUrlOf('https://api.example/v1', 'get')).toBe('https://page.example/app/');
});

test('what its URL has after a #, perhaps the token of a sign-in, goes nowhere', () => {
  vi.stubGlobal('document', { baseURI: 'https://page.example/app/?a=b#access_token=hush#more' });
  expect(documentUrlOf('', 'get')).toBe('https://page.example/app/?a=b');
});

describe('without a document', () => {
  test.each(['https://api.example', 'http://localhost:8080/v1/'])('%s does', (baseUrl) => {
    expect(documentUrlOf(baseUrl, 'get')).toBe(baseUrl);
  });

  test.each(['', '/v1', 'api.example', 'file:///tmp/', 'https://'])('%j does not', (baseUrl) => {
    expect(() => documentUrlOf(baseUrl, 'get')).toThrow(
      `'get' has no document to resolve its URL against: its baseUrl must be absolute, not '${baseUrl}'`,
    );
  });
});
