import type { Decide, ResponseRecord } from './response-record.ts';

/** The record of an answer of `size` bytes. */
export function record(key: string, size = 3, differing: Partial<ResponseRecord> = {}): ResponseRecord {
  return {
    key,
    url: `https://page.example/${key}`,
    status: 200,
    headers: [['content-type', 'application/json']],
    receivedAt: 1_000,
    digest: 'd1',
    size,
    revision: { line: 'line', n: 1 },
    ...differing,
  };
}

/** Puts a record in the place of whatever there is, with a body of its size. */
export function replaceBy(stored: ResponseRecord, fill = 1): Decide {
  return () => ({ kind: 'replace', stored, body: new Uint8Array(stored.size).fill(fill).buffer });
}
