import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Chunk, Chunked } from '../../shared/delivery.ts';
import type { Chunks } from '../../worker/contracts/read-body.ts';
import { bytesOf, finish, revisions, textOfBody } from '../../worker/diff/body.fixture.ts';
import { chunksOf } from '../../worker/diff/arrange.ts';
import { readDocument } from '../../worker/diff/validate.ts';
import { Rows } from './answers.ts';

/** What the worker makes of a long list, and the page of that. */

afterEach(() => {
  vi.unstubAllEnvs();
});

function chunk(index: number, text: string, path: readonly string[] = []): Chunk {
  return { kind: 'chunk', to: { loop: 1 }, index, path, text };
}

function chunked(chunks: number, wish: Partial<Chunked> = {}): Chunked {
  return { kind: 'chunked', path: [], envelope: 'null', chunks, ...wish };
}

function took(...texts: readonly string[]): Rows {
  const rows = new Rows();
  for (const [index, text] of texts.entries()) rows.take(chunk(index, text));
  return rows;
}

function chunksIn(bytes: Uint8Array, size: number): Chunks | null {
  const document = finish(readDocument(bytes));
  return document && chunksOf(document, size);
}

describe('a list that comes in chunks', () => {
  test('is what JSON.parse makes of the whole, whatever is in it and around it', () => {
    let most = 0;
    fc.assert(
      fc.property(revisions, fc.integer({ min: 1, max: 800 }), (bodies, size) => {
        for (const bytes of bodies.map((body) => bytesOf(textOfBody(body)))) {
          const chunks = chunksIn(bytes, size);
          if (chunks === null) continue;
          const texts = Array.from({ length: chunks.count }, (_, index) => chunks.text(index));
          const { count, path, envelope } = chunks;
          const told = took(...texts).finish(chunked(count, { path, envelope }));
          const whole: unknown = JSON.parse(new TextDecoder().decode(bytes));
          expect(isDeepStrictEqual(told?.value, whole)).toBe(true);
          expect(JSON.stringify(told?.value)).toBe(JSON.stringify(whole));
          most = Math.max(most, chunks.count);
        }
      }),
      { numRuns: 300 },
    );
    expect(most).toBeGreaterThan(4);
  });

  test('has as many rows in each as there is room for, and one at least', () => {
    const rows = Array.from({ length: 30 }, (_, index) => 'x'.repeat(index === 10 ? 200 : 18));
    const chunks = chunksIn(bytesOf(JSON.stringify(rows)), 62);
    const lists = Array.from({ length: chunks?.count ?? 0 }, (_, index) =>
      Array<unknown>().concat(JSON.parse(chunks?.text(index) ?? '')),
    );
    expect(lists.map(({ length }) => length)).toEqual([3, 3, 3, 1, 1, 3, 3, 3, 3, 3, 3, 1]);
    expect(lists.flat()).toEqual(rows);
  });

  test.each([
    ['is short', '["a","b"]', 1_000],
    ['has one row alone', `["${'long '.repeat(100)}"]`, 100],
    ['is an object', JSON.stringify({ a: 'long '.repeat(50), b: 'long '.repeat(50) }), 100],
  ])('goes whole where it %s', (_what, text, size) => {
    expect(chunksIn(bytesOf(text.padEnd(300)), size)).toBeNull();
  });
});

describe('of chunks', () => {
  test('nothing is left when the body is made of them', () => {
    const rows = took('[1]', '[2]');
    expect(rows.finish(chunked(2))).toEqual({ value: [1, 2], size: 6 });
    expect(rows.finish(chunked(2))).toBeNull();
  });

  test('the first begins another body', () => {
    const rows = took('[1]', '[2]');
    rows.take(chunk(0, '[3]'));
    expect(rows.finish(chunked(1))).toEqual({ value: [3], size: 3 });
  });

  test.each([
    ['one is missing at the end', took('[1]'), chunked(2)],
    ['all are', new Rows(), chunked(2)],
    ['there is one too many', took('[1]', '[2]'), chunked(1)],
  ])('nothing is made where %s', (_what, rows, body) => {
    expect(rows.finish(body)).toBeNull();
  });

  test('nothing is made where what is around has no such place', () => {
    const body = chunked(1, { path: ['a', 'b'], envelope: '{"a":null}' });
    expect(() => took('[1]').finish(body)).toThrow(TypeError);
  });

  test('nothing is made where one is missing in between, whatever follows', () => {
    const rows = took('[1]');
    rows.take(chunk(2, '[3]'));
    expect(rows.finish(chunked(2))).toBeNull();
    for (const index of [0, 2, 1]) rows.take(chunk(index, '[1]'));
    expect(rows.finish(chunked(3))).toBeNull();
  });

  test('each is frozen when it comes, in development: all at once would take long', () => {
    const value = took('[{"a":{}}]').finish(chunked(1))?.value;
    expect(Object.isFrozen(Object(value)[0].a)).toBe(true);
    vi.stubEnv('NODE_ENV', 'production');
    const other = took('[{}]').finish(chunked(1))?.value;
    expect(Object.isFrozen(Object(other)[0])).toBe(false);
  });
});
