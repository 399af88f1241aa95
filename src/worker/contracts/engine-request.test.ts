import { expect, test } from 'vitest';
import { addHeaders } from './engine-request.ts';

test('a header takes the place of the one that has its name', () => {
  expect(addHeaders([['X-Since', '1']], [['x-since', '2']])).toEqual([['x-since', '2']]);
  expect(addHeaders([['Accept', 'text/plain']], [['X-Since', '2']])).toEqual([
    ['Accept', 'text/plain'],
    ['X-Since', '2'],
  ]);
});

test('but what the page prefers stays, and the wait joins it', () => {
  const added = [['Prefer', 'wait=25']] as const;
  expect(addHeaders([['prefer', 'return=minimal']], added)).toEqual([['Prefer', 'return=minimal, wait=25']]);
  expect(addHeaders([['Prefer', '']], added)).toEqual([['Prefer', 'wait=25']]);
  expect(addHeaders([], added)).toEqual([['Prefer', 'wait=25']]);
});
