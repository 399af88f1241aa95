import { headerValue, withoutHeader } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Addition } from '../contracts/addition.ts';
import type { Read, Write } from './asking-order.ts';
import type { StoredResponse } from '../cache/cache.ts';
import type { Exchanged, Limit, Validators, Watch } from '../exchange/exchange.ts';
import type { Reading } from '../contracts/read-body.ts';

/** How an invocation is served, beside what it says itself. */
export interface RequestOptions {
  /** What its request says as well. */
  readonly addition?: Addition;
  readonly reading?: Reading;
  /** Whether the server holds it until there is news: without content its answer says that there is none. */
  readonly held?: boolean;
  /** Whether its answer is told before it is stored: nobody who is told waits for the database. Else it has a revision only once it is. */
  readonly writeBehind?: boolean;
  /** The mark of the answer before, which is compared where nothing is stored; null or missing for none. */
  readonly volatileRevision?: Revision | null;
  /** The page whose call it is; null or missing for a loop, which is everybody's. */
  readonly page?: string | null;
}

/** An invocation on its way, with the one limit that all its steps share until the last byte of its answer. */
export interface RequestContext {
  /** What was asked for: what is stored goes by it. */
  readonly invocation: Invocation;
  readonly url: string;
  /** What is sent: the same with its addition. */
  readonly request: { readonly invocation: Invocation; readonly url: string };
  readonly watch: Watch;
  readonly limit: Limit;
  readonly reading: Reading;
  readonly held: boolean;
  readonly writeBehind: boolean;
  readonly volatileRevision: Revision | null;
  readonly page: string | null;
  /** When it was asked for, among others; null for what is no read of one URL. */
  readonly read: Read | null;
  /** Its place among the writes to its URL; null for what is no write. */
  readonly write: Write | null;
  /** How often the cache had been cleared when it was asked for. */
  readonly clearings: number;
}

export type AnsweredExchange = Extract<Exchanged, { readonly kind: 'answered' }>;
export type UnmodifiedExchange = Extract<Exchanged, { readonly kind: 'not-modified' }>;
export type FailedExchange = Extract<Exchanged, { readonly kind: 'failed' }>;

/**
 * None where another origin than the one that was asked sent it: neither is told what the other's answer is known by, and
 * a browser would ask for a preflight on the way from the one to the other.
 */
export function validatorsOf({ headers, sender }: StoredResponse): Validators | null {
  if (sender !== undefined) return null;
  return { etag: headerValue(headers, 'etag'), lastModified: headerValue(headers, 'last-modified') };
}

/** The same, asked without conditions. */
export function forTheWhole(passage: RequestContext): RequestContext {
  const { request } = passage;
  return { ...passage, request: { ...request, invocation: unconditional(request.invocation) } };
}

function unconditional(invocation: Invocation): Invocation {
  const { policy, headers } = invocation;
  return {
    ...invocation,
    policy: { ...policy, revalidate: false },
    headers: withoutHeader(headers, 'if-none-match'),
  };
}
