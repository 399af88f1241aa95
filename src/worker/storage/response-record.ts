import type { Revision } from '../../shared/outcome.ts';
import type { ByteDelta } from '../contracts/byte-delta.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** What is to be done with a record. */
export type RecordChange =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'describe'; readonly stored: StoredResponse }
  | { readonly kind: 'replace'; readonly stored: StoredResponse; readonly body: ArrayBuffer }
  | DeltaChange;

/** New bytes together with what makes them of those of the record. */
export interface DeltaChange {
  readonly kind: 'amend';
  readonly stored: StoredResponse;
  /** The revision whose bytes the change makes new ones of. */
  readonly from: Revision;
  readonly change: ByteDelta;
  /** The whole, which is only made where it is to be stored. */
  readonly body: ArrayBuffer | (() => ArrayBuffer);
}

export type Decide = (current: StoredResponse | null) => RecordChange;

/** The record, if it is whole: what lies on a disk may have been damaged, or written by somebody else. */
export function intactRecord(value: unknown): StoredResponse | null {
  return isRecord(value) ? value : null;
}

export function wholeOf({ body }: DeltaChange): ArrayBuffer {
  return typeof body === 'function' ? body() : body;
}

/** The body, if it is whole and still the one that the record describes. */
export function intactBody(record: StoredResponse, body: unknown): ArrayBuffer | null {
  return body instanceof ArrayBuffer && body.byteLength === record.size ? body : null;
}

/** Bytes that an answer counts for, be what is known of it damaged or not there at all. */
export function sizeOf(value: unknown): number {
  if (!isObject(value)) return 0;
  const size = value['counted'] ?? value['size'];
  return typeof size === 'number' && size > 0 ? size : 0;
}

function isRecord(value: unknown): value is StoredResponse {
  if (!isObject(value)) return false;
  const { key, url, sender = '', finalUrl = '', status, headers, receivedAt, digest, size, revision } = value;
  return (
    [key, url, sender, finalUrl, digest].every((each) => typeof each === 'string') &&
    [status, receivedAt, size].every((each) => Number.isFinite(each)) &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    isRevision(revision)
  );
}

function isHeader(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');
}

function isRevision(value: unknown): boolean {
  return isObject(value) && typeof value['lineage'] === 'string' && Number.isSafeInteger(value['number']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
