import { createHash } from 'node:crypto';
import type { ByteDelta, StoredResponse } from '../contracts/response-store.ts';
import { record } from './record.fixture.ts';
import type { DeltaChange, Decide } from './response-record.ts';

/** Bytes of an answer large enough for byte deltas: nine of `stepTo` are more than a quarter of it. */
export const SIZE = 4_000;

/** Bytes that a byte delta of `stepTo` counts for: overhead, six numbers, one byte. */
export const WEIGHT: number = 64 + 6 * 8 + 1;

/** State `n` of an answer, from 1: each differs from the one before in one more byte. */
export function state(n: number, size: number = SIZE): Uint8Array<ArrayBuffer> {
  return new Uint8Array(size).map((_, index) => (index < n ? 200 : index % 200));
}

export function recordOf(
  key: string,
  number: number,
  differing: Partial<StoredResponse> = {},
): StoredResponse {
  const digest = createHash('sha256').update(state(number)).digest('hex');
  return record(key, SIZE, { digest, revision: { lineage: 'line', number }, ...differing });
}

/** The byte delta from the state before `n` to `n`. */
export function stepTo(n: number): ByteDelta {
  const literal = new Uint8Array([200]).buffer;
  return { runs: [0, n - 1, -1, 1, n, SIZE - n], literal, size: SIZE };
}

/** Stores state `n` whole. */
export function whole(key: string, n: number, differing: Partial<StoredResponse> = {}): Decide {
  return () => ({ kind: 'replace', stored: recordOf(key, n, differing), body: state(n).buffer });
}

/** Stores state `n` as a byte delta of the one before. */
export function amended(key: string, n: number, differing: Partial<DeltaChange> = {}): Decide {
  return () => ({
    kind: 'amend',
    stored: recordOf(key, n),
    from: { lineage: 'line', number: n - 1 },
    change: stepTo(n),
    body: state(n).buffer,
    ...differing,
  });
}
