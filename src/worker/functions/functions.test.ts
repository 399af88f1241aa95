import { describe, expect, test } from 'vitest';
import { Functions } from './functions.ts';

describe('functions that cannot be loaded', () => {
  const functions = new Functions(() => Promise.reject(new Error('no network')));

  test('cannot be used, and say why', async () => {
    const message = expect.stringContaining('no network');
    expect(await functions.refuse(['a'])).toMatchObject({ code: 'function', message });
    expect(await functions.apply(['a'], 1)).toMatchObject({
      kind: 'failed',
      failure: { code: 'function', message },
    });
  });

  test('are none that anything goes through', async () => {
    expect(await functions.apply([], 1)).toEqual({ kind: 'made', value: 1 });
  });
});

test('functions may be loaded late, and again', async () => {
  const functions = new Functions(async () => ({ twice: (value: number) => value * 2 }));
  expect(await functions.refuse(['twice'])).toBeNull();
  expect(await functions.apply(['twice', 'twice'], 3)).toEqual({ kind: 'made', value: 12 });
});

test('a function and a schema have a text of their own', async () => {
  const texts = await Promise.all(
    [
      { a: () => 1 },
      { a: () => 2 },
      {
        a: {
          '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
        } as const,
      },
      { a: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [] }) } } as const },
    ].map((given) => new Functions(() => given).textOf(['a'])),
  );
  expect(new Set(texts).size).toBe(4);
});

test('what a function makes may have a member that is called then', async () => {
  const rule: unknown = JSON.parse('{"if":"rain","then":"close the window"}');
  const functions = new Functions(async () => ({ same: (value: unknown) => value }));
  expect(await functions.apply(['same'], rule)).toEqual({ kind: 'made', value: rule });
});

test('what a schema says can be told in a message', async () => {
  const issues = [{ message: 'no', path: [Symbol('rows'), 0, { key: Symbol('title') }] }];
  const schema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } } as const;
  const made = await new Functions(() => ({ schema })).apply(['schema'], {});
  expect(structuredClone(made)).toMatchObject({
    failure: { code: 'schema', issues: [{ message: 'no', path: ['Symbol(rows)', 0, 'Symbol(title)'] }] },
  });
});
