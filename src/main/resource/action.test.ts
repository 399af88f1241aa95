import { describe, expect, test } from 'vitest';
import { assertOptions, declareAction } from './action.ts';
import { REQUIRED } from './check.ts';

describe('a declaration', () => {
  test('is kept, its method in upper case', () => {
    const check = { id: REQUIRED };
    const action = declareAction('get', 'get', '/photo/{id}', check, { timeout: 1 });
    expect(action).toEqual({
      name: 'get',
      method: 'GET',
      template: '/photo/{id}',
      checks: check,
      options: { timeout: 1 },
    });
  });

  test('is not changed by what becomes of its checks later', () => {
    const check: Record<string, RegExp> = { id: /1/ };
    const action = declareAction('get', 'GET', '/', check, {});
    delete check['id'];
    expect(action.checks).toEqual({ id: /1/ });
  });

  test.each([undefined, null])('may be without checks: %s', (checks) => {
    expect(declareAction('get', 'GET', '/', checks, {}).checks).toEqual({});
  });

  test.each(['PROPFIND', 'M-SEARCH', 'x', 'query'])('may have any token for a method: %s', (method) => {
    expect(declareAction('get', method, '/', {}, {}).method).toBe(method.toUpperCase());
  });

  test.each([
    ['method', undefined, '/', "Method must be string for route 'get'"],
    ['method', 1, '/', "Method must be string for route 'get'"],
    ['URL', 'GET', undefined, "URL must be string for route 'get'"],
    ['URL', 'GET', new URL('https://page.example/'), "URL must be string for route 'get'"],
  ])('is refused with a %s that is no text', (_what, method, url, message) => {
    expect(() => declareAction('get', method, url, {}, {})).toThrow(new Error(message));
  });

  test.each(['', 'GE T', 'GET/', 'GÄT', 'GET\n'])(
    'is refused with a method that is no token: %j',
    (method) => {
      expect(() => declareAction('get', method, '/', {}, {})).toThrow(TypeError);
    },
  );

  test.each(['TRACE', 'track', 'Connect'])('is refused with a method that fetch refuses: %s', (method) => {
    expect(() => declareAction('get', method, '/', {}, {})).toThrow(/browsers refuse to send it/);
  });

  test('is refused with a malformed template', () => {
    expect(() => declareAction('get', 'GET', '/photo/{id', {}, {})).toThrow(/template/i);
  });

  test.each([[{ id: 1 }], [{ id: 'REQUIRED' }], [['id']], ['id'], [{ id: null }]])(
    'is refused with a check that is none: %j',
    (checks) => {
      expect(() => declareAction('get', 'GET', '/', checks, {})).toThrow(TypeError);
    },
  );

  test('is refused with options out of their range', () => {
    expect(() => declareAction('get', 'GET', '/', {}, { timeout: 0 })).toThrow(RangeError);
  });

  test.each([[''], [['sorted', '']], [[1]], [{}]])(
    'is refused with a transform that names none: %j',
    (transform) => {
      const options = { transform };
      expect(() => declareAction('get', 'GET', '/', {}, JSON.parse(JSON.stringify(options)))).toThrow(
        "Option 'transform' of 'get' must be names of the worker's functions, got",
      );
    },
  );

  test('is refused with an option that is misspelt', () => {
    const options = { timeout: 1_000, timeOut: 1_000 };
    expect(() => declareAction('get', 'GET', '/', {}, { ...options })).toThrow(
      new TypeError("Unknown option 'timeOut' of 'get'"),
    );
  });
});

describe('options', () => {
  test.each([{}, { timeout: 1 }, { timeout: 0.5 }, { retry: 0 }, { retry: 3 }])('may be %j', (options) => {
    expect(() => assertOptions('get', options)).not.toThrow();
  });

  test.each([0, -1, Number.NaN, Infinity])('may not have a timeout of %s', (timeout) => {
    expect(() => assertOptions('get', { timeout })).toThrow(
      new RangeError(`Timeout of 'get' must be a number of milliseconds above 0, got ${timeout}`),
    );
  });

  test.each([-1, 0.5, Number.NaN, Infinity])('may not have a retry of %s', (retry) => {
    expect(() => assertOptions('get', { retry })).toThrow(
      new RangeError(`Retry of 'get' must be a whole number of repetitions from 0, got ${retry}`),
    );
  });
});
