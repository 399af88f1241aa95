import { createHash } from 'node:crypto';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Decide } from './response-record.ts';
import type { Order } from './waiting.ts';

/** The record of an answer of `size` bytes, each 1. */
export function record(key: string, size = 3, differing: Partial<StoredResponse> = {}): StoredResponse {
  return {
    key,
    url: `https://page.example/${key}`,
    status: 200,
    headers: [['content-type', 'application/json']],
    receivedAt: 1_000,
    digest: digestOf(size),
    size,
    revision: { lineage: 'line', number: 1 },
    ...differing,
  };
}

/** Stores a record, with a body of its size, whatever is there. */
export function replaceBy(stored: StoredResponse): Decide {
  return () => ({ kind: 'replace', stored, body: new Uint8Array(stored.size).fill(1).buffer });
}

/** Orders that a record is stored, whatever is there. */
export function orderOf(stored: StoredResponse, differing: Partial<Order> = {}): Order {
  const body = new Uint8Array(stored.size).fill(1).buffer;
  const decide: Decide = () => ({ kind: 'replace', stored, body });
  return { key: stored.key, stored, body, follows: false, decide, lost: () => {}, ...differing };
}

/** Orders that it is removed. */
export function removalOf(key: string): Order {
  return { key, stored: null, body: null, follows: false, decide: remove, lost: () => {} };
}

const remove: Decide = () => ({ kind: 'remove' });

function digestOf(size: number): string {
  return createHash('sha256').update(Buffer.alloc(size, 1)).digest('hex');
}
