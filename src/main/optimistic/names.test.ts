import { beforeEach, expect, test } from 'vitest';
import { Names } from './names.ts';
import type { OptimisticWrite } from './write.ts';

const ONE = `temporary-${'1'.repeat(32)}`;
const TWO = `temporary-${'2'.repeat(32)}`;

/** It names two: what it creates, and where that belongs. */
const WRITE: OptimisticWrite = {
  action: 'create',
  params: { album: ONE },
  data: { title: 'temporary' },
  temporaryId: TWO,
  entry: null,
};

let names: Names;

beforeEach(() => {
  names = new Names();
  names.in('entry-1', WRITE);
});

test('an id that is given is told to those that name it, once', () => {
  names.in('entry-2', { ...WRITE, temporaryId: null });
  expect(names.give(ONE, 7)).toEqual(['entry-1', 'entry-2']);
  expect(names.give(ONE, 7)).toEqual([]);
  expect(names.in('entry-1', WRITE)).toMatchObject({ params: { album: '7' }, temporaryId: TWO });
  expect(names.give(TWO, 8)).toEqual(['entry-1']);
});

test('nothing is kept of the user before', () => {
  names.clear();
  expect([names.give(ONE, 7), names.give(TWO, 8)]).toEqual([[], []]);
});

test('texts that are no temporary ids are not kept', () => {
  expect(names.give('temporary', 7)).toEqual([]);
});
