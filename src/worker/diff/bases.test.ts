import { expect, test } from 'vitest';
import { Bases } from './bases.ts';
import { bytesOf, finish } from './body.fixture.ts';
import { sizeOf } from './container.ts';
import type { Document } from './container.ts';
import { scan } from './scan.ts';

function documentOf(rows: number): Document {
  const document = finish(scan(bytesOf(`[${'0,'.repeat(rows - 1)}0]`), null));
  if (document === null) throw new Error('Not a document');
  return document;
}

const one = documentOf(200);
const size = sizeOf(one);

test('a document takes its bytes, and twelve more a row', () => {
  expect(size).toBe(401 + 12 * 200);
});

test('those used least recently go', () => {
  const bases = new Bases(3 * size);
  for (const key of ['a', 'b', 'c']) bases.set(key, documentOf(200));
  bases.get('a');
  bases.set('d', one);
  expect(['a', 'b', 'c', 'd'].filter((key) => bases.get(key) !== null)).toEqual(['a', 'c', 'd']);
  expect(bases.size).toBe(3 * size);
});

test('a new one takes the place of the old', () => {
  const bases = new Bases(2 * size);
  bases.set('a', documentOf(200));
  bases.set('b', documentOf(200));
  bases.set('a', one);
  expect(bases.get('a')).toBe(one);
  expect(bases.get('b')).not.toBeNull();
  expect(bases.size).toBe(2 * size);
  bases.delete('a');
  bases.delete('a');
  expect(bases.size).toBe(size);
});

test('one that is larger than all may be is not kept, nor the old in its stead', () => {
  const bases = new Bases(2 * size);
  bases.set('a', one);
  bases.set('b', one);
  bases.set('a', documentOf(2_000));
  expect(bases.get('a')).toBeNull();
  expect(bases.get('b')).toBe(one);
});
