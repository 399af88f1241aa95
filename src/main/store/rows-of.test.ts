import { expect, test } from 'vitest';
import { invocation } from '../session/invocation.fixture.ts';
import { rowsOf } from './windows.ts';

const PART = { pointer: '', start: 0, count: 1 };

test('a resource that has no connection rejects what is asked for rows, and does not throw', async () => {
  const resource = {
    link: (): never => {
      throw new Error('No connection');
    },
  };
  await expect(rowsOf(resource, invocation(), PART)).rejects.toThrow('No connection');
});
