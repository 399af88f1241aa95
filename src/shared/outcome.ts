import type { Failure } from './failure.ts';
import type { Header } from './header.ts';

/** How an invocation ended; `Body` is the form that its answer's body has at that place. */
export type Outcome<Body = AnswerBody> = Answered<Body> | Failed;

export interface Answered<Body = AnswerBody> {
  readonly kind: 'answered';
  readonly answer: Answer<Body>;
  readonly servedFrom: 'network' | 'cache';
  /** Whether the server said, with a 304, that what is stored is still current. */
  readonly confirmed: boolean;
  /** Whether the network was asked in vain and this is what was stored before. */
  readonly stale: boolean;
  /** Seconds since the answer was received from its server. */
  readonly age: number;
  /** False for a 304 and for bytes equal to those stored before. */
  readonly changed: boolean;
  /** Null where nothing is stored to count from. */
  readonly revision: Revision | null;
  readonly request: SentRequest;
}

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** What the server did say, if it said anything. */
  readonly answer: Answer | null;
  /** Null where nothing was sent. */
  readonly request: SentRequest | null;
}

/** The outcome of a call that no answer came for, and of which nothing is known to have been sent. */
export function unanswered(failure: Failure): Failed {
  return { kind: 'failed', failure, answer: null, request: null };
}

/**
 * False where the server has certainly not done what it was asked: it refused, or nothing was sent. True in all other cases:
 * when an answer is lost, nobody can tell, and a 500, 502 or 504 is as good as lost, for it may come after the deed.
 */
export function mayBeDone(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return true;
  const { failure, request } = outcome;
  if (failure.code === 'http') return failure.status >= 500 && failure.status !== 503;
  return request !== null && failure.code !== 'offline';
}

/** Whether whoever asked gave it up: that says nothing of the server. */
export function isAborted(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'aborted';
}

/** A server's answer as the page gets it. */
export interface Answer<Body = AnswerBody> {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Body;
}

/** A parsed body, with the length of its text where that is known; bytes become a `Blob` in the page. */
export type AnswerBody =
  | { readonly kind: 'value'; readonly value: unknown; readonly size?: number }
  | { readonly kind: 'bytes'; readonly bytes: ArrayBuffer; readonly type: string };

/**
 * Names one state of a response. The lineage is new whenever counting has to start afresh, and says when that was; the
 * number counts within it. Of one lineage the higher number is newer; of two lineages the younger is (`shared/lineage.ts`).
 */
export interface Revision {
  readonly lineage: string;
  readonly number: number;
}

/** Whether both are the same state of the same response. */
export function isSameRevision(one: Revision, other: Revision): boolean {
  return one.lineage === other.lineage && one.number === other.number;
}

/** What was sent, as it may be shown: the values of secret headers are left out. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
}
