import { describe, expect, test } from 'vitest';
import { RestError } from '../error.ts';
import { aborted, success } from './notice.fixture.ts';
import { schema, TITLED, TITLED_LATER } from './schema.fixture.ts';
import { believe } from '../../shared/standard-schema.ts';
import { validate } from './validate.ts';

const DAWN = { title: 'dawn' };

describe('a success', () => {
  test('without a schema stays as it is', () => {
    const notice = success(1, DAWN);
    expect(validate(notice, null, 100)).toBe(notice);
  });

  test('that passes has what the schema made of it, and all else that it had', () => {
    const told = success(1, DAWN);
    expect(validate(told, TITLED, 100)).toEqual({ ...told, response: { title: 'DAWN' } });
  });

  test('has the response itself where it is only said what it is', () => {
    expect(validate(success(1, DAWN), believe<string>(), 100)).toMatchObject({
      type: 'success',
      response: DAWN,
    });
  });

  test('that does not pass is an error with what is wrong, and keeps the answer as it came', () => {
    const told = success(1, { title: 1 });
    expect(validate(told, TITLED, 100)).toMatchObject({
      ...told,
      type: 'error',
      phase: 'error',
      response: { title: 1 },
      error: {
        name: 'RestError',
        message: `The answer of 'get' is not what its schema says: rows.0.title: is no text (and 1 more)`,
        failure: {
          code: 'schema',
          issues: [
            { message: 'is no text', path: ['rows', 0, 'title'] },
            { message: 'is odd', path: [] },
          ],
        },
      },
    });
  });

  test('of nothing has to pass as well', () => {
    expect(validate(success(1, null), TITLED, 100)).toMatchObject({ type: 'error', response: null });
  });
});

test('an error is not held against anything', () => {
  const notice = aborted(1);
  expect(validate(notice, TITLED, 100)).toBe(notice);
});

describe('a schema that takes its time', () => {
  test('judges alike', async () => {
    await expect(validate(success(1, DAWN), TITLED_LATER, 100)).resolves.toMatchObject({
      type: 'success',
      response: { title: 'DAWN' },
    });
    await expect(validate(success(1, 'x'), TITLED_LATER, 100)).resolves.toMatchObject({
      type: 'error',
      error: { code: 'schema' },
    });
  });

  test('has as long as is left, and not for ever', async () => {
    const never = schema(() => new Promise(() => {}));
    const message = `The answer of 'get' is not what its schema says: The schema of 'get' took longer than 20 ms`;
    await expect(validate(success(1), never, 20)).resolves.toMatchObject({
      type: 'error',
      error: { message },
    });
  });

  test('has all the time there is where the call has', async () => {
    const slow = schema(
      (value) => new Promise<{ value: unknown }>((resolve) => setTimeout(() => resolve({ value }), 20)),
    );
    await expect(validate(success(1, DAWN), slow, 2 ** 40)).resolves.toMatchObject({ type: 'success' });
  });
});

describe('a schema that is broken lets nothing pass', () => {
  const cause = new Error('on purpose');
  const broken = {
    throws: schema(() => {
      throw cause;
    }),
    rejects: schema(() => Promise.reject(cause)),
  };

  test.each(['throws', 'rejects'] as const)('%s', async (how) => {
    const { type, error } = await validate(success(1), broken[how], 100);
    expect([type, error instanceof RestError, error?.cause]).toEqual(['error', true, cause]);
    expect(error?.failure).toMatchObject({ code: 'schema', issues: [{ message: 'on purpose', path: [] }] });
  });

  test('says no reason', () => {
    const silent = schema(() => ({ issues: [] }));
    const message = `The answer of 'get' is not what its schema says: it does not say why`;
    expect(validate(success(1), silent, 100)).toMatchObject({ error: { message } });
  });
});
