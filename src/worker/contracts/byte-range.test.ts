import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { cut } from './byte-range.ts';

const ETAG: Header = ['ETag', '"1"'];

function cutOf(
  range: string,
  text = '0123456789',
  more: readonly Header[] = [],
  headers: readonly Header[] = [ETAG],
) {
  const bytes = new TextEncoder().encode(text).buffer;
  const part = cut([['Range', range], ...more], { status: 200, headers, bytes });
  return part && [new TextDecoder().decode(part.bytes), ...part.headers.slice(headers.length)];
}

describe('a range of bytes', () => {
  test.each([
    ['bytes=0-1', '01', 'bytes 0-1/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['Bytes = 4-4', '4', 'bytes 4-4/10'],
  ])('%s', (range, text, told) => {
    expect(cutOf(range)).toEqual([text, ['content-range', told], ['content-length', String(text.length)]]);
  });

  test.each(['bytes=10-', 'bytes=-0', 'bytes=3-2', 'bytes=0-1,3-4', 'bytes=-', 'rows=0-1', 'bytes=a-b', ''])(
    'that only its server can answer: %s',
    (range) => expect(cutOf(range)).toBeNull(),
  );

  test('of nothing is asked for', () => {
    expect(cutOf('bytes=0-', '')).toBeNull();
    expect(cutOf('bytes=-5', '')).toBeNull();
  });

  test('is of the answer that If-Range names by a strong validator', () => {
    expect(cutOf('bytes=0-1', '0123', [['If-Range', '"1"']])?.[0]).toBe('01');
    expect(cutOf('bytes=0-1', '0123', [['If-Range', '"2"']])).toBeNull();
    expect(cutOf('bytes=0-1', '0123', [['If-Range', 'W/"1"']], [['ETag', 'W/"1"']])).toBeNull();
    expect(cutOf('bytes=0-1', '0123', [['If-Range', 'Sun, 06 Nov 1994 08:49:37 GMT']])).toBeNull();
  });

  test('is not cut from what is encoded, whose bytes are others on the wire', () => {
    expect(cutOf('bytes=0-1', '0123', [], [['Content-Encoding', 'gzip']])).toBeNull();
    expect(cutOf('bytes=0-1', '0123', [], [['Content-Encoding', 'identity']])?.[0]).toBe('01');
  });
});
