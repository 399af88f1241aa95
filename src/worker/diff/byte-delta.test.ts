import { describe, expect, test } from 'vitest';
import { applyByteChange } from '../contracts/byte-delta.fixture.ts';
import type { ByteDelta } from '../contracts/response-store.ts';
import { bytesOf, finish } from './body.fixture.ts';
import { compare } from './compare.ts';
import type { Document } from './container.ts';
import { scan } from './scan.ts';
import { makeByteDelta } from './byte-delta.ts';

const ROWS = Array.from({ length: 40 }, (_, id) => `{"id":${id},"a":"same in all"}`);

function documentOf(text: string): Document {
  const document = finish(scan(bytesOf(text), null));
  if (document === null) throw new Error('Not a document');
  return document;
}

function changeBetween(old: string, next: string): ByteDelta {
  const [one, other] = [documentOf(old), documentOf(next)];
  const change = finish(makeByteDelta(one, other, finish(compare(one, other))));
  expect(new TextDecoder().decode(applyByteChange(one.bytes, change) ?? undefined)).toBe(next);
  return change;
}

describe('only what is new is in a change', () => {
  const old = `{"items":[${ROWS.join()}],"at":1}`;
  const seven = old.indexOf('7,');
  const gap = old.indexOf('},{') + 2;

  test.each([
    ['nothing', old, [0, old.length], ''],
    [
      'a figure in a row',
      old.replace('"id":7,', '"id":x,'),
      [0, seven, -1, 1, seven + 1, old.length - seven - 1],
      'x',
    ],
    [
      'a figure behind the rows',
      old.replace('"at":1', '"at":2'),
      [0, old.length - 2, -1, 1, old.length - 1, 1],
      '2',
    ],
    ['a row in front', old.replace('[', '[0,'), [0, 10, -1, 2, 10, old.length - 10], '0,'],
    [
      'another space between two rows',
      old.replace('},{', '}, {'),
      [0, gap, -1, 1, gap, old.length - gap],
      ' ',
    ],
  ])('%s', (_name, next, runs, literal) => {
    const change = changeBetween(old, next);
    expect(change.size).toBe(next.length);
    expect(change.runs).toEqual(runs);
    expect(new TextDecoder().decode(change.literal)).toBe(literal);
  });

  test('rows that changed places', () => {
    const change = changeBetween(`[${ROWS.join()}]`, `[${[...ROWS.slice(20), ...ROWS.slice(0, 20)].join()}]`);
    expect(change.literal.byteLength).toBeLessThan(2);
    expect(change.runs.length).toBeLessThan(12);
  });
});

describe('a change that does not fit its base is refused', () => {
  const base = bytesOf('0123456789');
  const literal = Uint8Array.from(bytesOf('ab')).buffer;

  test('where one that fits is not', () => {
    const change = { runs: [8, 2, -1, 1, 0, 3, -1, 1], literal, size: 7 };
    expect(applyByteChange(base, change)).toEqual(bytesOf('89a012b'));
    expect(applyByteChange(base, { runs: [], literal: new ArrayBuffer(), size: 0 })).toEqual(
      new Uint8Array(),
    );
  });

  test.each([
    ['more than there is', [8, 3, -1, 2], 5],
    ['another size', [0, 3, -1, 2], 6],
    ['more literal bytes than there are', [0, 3, -1, 3], 6],
    ['less literal bytes than there are', [0, 3, -1, 1], 4],
    ['a place before the first', [-2, 3, -1, 2], 5],
    ['a length below nothing', [0, 4, 0, -1, -1, 2], 5],
    ['half a byte', [0.5, 3, -1, 2], 5],
    ['half a pair', [0, 3, -1, 2, 0], 5],
    ['no number', [0, NaN, -1, 2], 2],
  ])('%s', (_name, runs, size) => {
    expect(applyByteChange(base, { runs, literal, size })).toBeNull();
  });
});
