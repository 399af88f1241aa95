import { describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { RestError } from '../error.ts';
import { REQUIRED, runChecks } from './check.ts';
import type { Check } from './check.ts';
import type { InputParams, InputValue } from './params.ts';

/** What the check of `id` says to a value; null where it lets it pass. */
function refusal(check: Check, params: InputParams): RestError | null {
  try {
    runChecks('get', { id: check }, params);
    return null;
  } catch (error) {
    if (error instanceof RestError) return error;
    throw error;
  }
}

function messageFor(check: Check, id: InputValue): string | undefined {
  return refusal(check, { id })?.message;
}

const MISSING = "Missing parameter 'id'";
const INVALID = "Parameter 'id' is invalid";

describe('whatever its check, a parameter is missing', () => {
  test.each<[string, Check]>([
    ['REQUIRED', REQUIRED],
    ['a RegExp', /.*/],
    ['a predicate', () => true],
  ])('where it is absent: %s', (_name, check) => {
    const absent = [undefined, null, [], [null], [undefined], {}, { a: null }, { a: undefined }];
    for (const id of absent) expect(messageFor(check, id)).toBe(MISSING);
    expect(refusal(check, {})?.failure).toEqual({
      code: 'missing-parameter',
      message: MISSING,
      action: 'get',
      parameter: 'id',
      check: String(check),
    });
  });

  test('where it is only inherited', () => {
    expect(refusal(REQUIRED, Object.create({ id: 1 }))?.message).toBe(MISSING);
    expect(() => runChecks('get', { constructor: REQUIRED }, {})).toThrow("Missing parameter 'constructor'");
  });
});

test.each<InputValue>(['', 0, false, 'x', 0n, ['a'], { a: 1 }])('REQUIRED lets %o pass', (id) => {
  expect(messageFor(REQUIRED, id)).toBeUndefined();
});

describe('a value is looked at as the text that goes into the URL', () => {
  test.each<[RegExp, InputValue, string | undefined]>([
    [/^\d+$/, 7, undefined],
    [/^\d+$/, '7', undefined],
    [/^\d+$/, 7n, undefined],
    [/^true$/, true, undefined],
    [/^\d+$/, '7a', INVALID],
    [/^\d+$/, '', INVALID],
    [/^$/, '', undefined],
    [/^1970-01-01T00:00:00.000Z$/, new Date(0), undefined],
  ])('%s and %o', (check, id, expected) => {
    expect(messageFor(check, id)).toBe(expected);
  });

  test('of a list item by item', () => {
    const seen: string[] = [];
    const check = (value: string): boolean => seen.push(value) > 0;
    expect(messageFor(check, ['a', 1, false])).toBeUndefined();
    expect(seen).toEqual(['a', '1', 'false']);
    expect(messageFor(/^\d$/, [1, 2, 'x'])).toBe(INVALID);
    expect(messageFor(/^\d$/, [1, null, 2])).toBeUndefined();
  });

  test('of a map key by key and value by value', () => {
    const seen: string[] = [];
    const check = (value: string): boolean => seen.push(value) > 0;
    expect(messageFor(check, { role: 'admin', of: 7, since: null })).toBeUndefined();
    expect(seen).toEqual(['role', 'admin', 'of', '7']);
    expect(messageFor(/^\w+$/, { role: '../admin' })).toBe(INVALID);
    expect(messageFor(/^\w+$/, { '../admin': 1 })).toBe(INVALID);
  });
});

describe('a RegExp', () => {
  test.each([/^\d+$/g, /\d+/y, /^\d+$/gy])('that remembers where it stopped starts afresh: %s', (check) => {
    const answers = [1, 2, 3].map(() => messageFor(check, '12'));
    expect(answers).toEqual([undefined, undefined, undefined]);
    expect(messageFor(check, [1, 2, 3])).toBeUndefined();
  });

  test('that takes exponential time never sees a long text', () => {
    const catastrophic = /^(a+)+$/;
    const exec = vi.spyOn(catastrophic, 'exec');
    expect(messageFor(catastrophic, `${'a'.repeat(LIMITS.checkedLength)}!`)).toBe(INVALID);
    expect(exec).not.toHaveBeenCalled();
  });

  test.each([
    [4_096, undefined],
    [4_097, INVALID],
  ])('sees %i characters or none', (length, expected) => {
    expect(messageFor(/^a+$/, 'a'.repeat(length))).toBe(expected);
    expect(messageFor(/^a+$/, ['a', 'a'.repeat(length)])).toBe(expected);
  });
});

describe('a predicate', () => {
  test('gets the text and all parameters', () => {
    const check = vi.fn<(value: string, params: InputParams) => boolean>(() => true);
    const params = { id: 1, size: 'large' };
    expect(refusal(check, params)).toBeNull();
    expect(check.mock.calls).toEqual([['1', params]]);
  });

  test('refuses with false', () => {
    expect(refusal(() => false, { id: 1 })?.failure).toMatchObject({
      code: 'invalid-parameter',
      message: INVALID,
      action: 'get',
      parameter: 'id',
    });
  });

  test('refuses by throwing, and what it threw is the cause', () => {
    const cause = new Error('from the check');
    const refused = refusal(
      () => {
        throw cause;
      },
      { id: 1 },
    );
    expect(refused?.message).toBe(INVALID);
    expect(refused?.cause).toBe(cause);
  });

  test('never sees a long text', () => {
    const check = vi.fn<(value: string) => boolean>(() => true);
    expect(messageFor(check, 'a'.repeat(LIMITS.checkedLength + 1))).toBe(INVALID);
    expect(check).not.toHaveBeenCalled();
  });
});

test('a value that cannot be read as text is invalid, with the cause', () => {
  const refused = refusal(/x/, { id: new Date(NaN) });
  expect(refused?.message).toBe(INVALID);
  expect(refused?.cause).toBeInstanceOf(TypeError);
});

test('the checks run in their order, and the first refusal counts', () => {
  const checks = { a: REQUIRED, b: /x/ };
  expect(() => runChecks('get', checks, { b: 'y' })).toThrow("Missing parameter 'a'");
  expect(() => runChecks('get', checks, { a: 1, b: 'y' })).toThrow("Parameter 'b' is invalid");
  expect(() => runChecks('get', checks, { a: 1, b: 'x', c: 'anything' })).not.toThrow();
});
