import type { Failure } from './failure.ts';
import type { Header } from './header.ts';

/** How an invocation ended; `Body` is the form of its answer's body at that point. */
export type Outcome<Body = AnswerBody> = Answered<Body> | Failed;

export interface Answered<Body = AnswerBody> {
  readonly kind: 'answered';
  readonly answer: Answer<Body>;
  readonly servedFrom: 'network' | 'cache';
  /** True where the server confirmed by a 304 that the stored answer is still current. */
  readonly confirmed: boolean;
  /** True where this is the answer stored before, and not fresh: the network failed, or the policy wants it. */
  readonly stale: boolean;
  /** Seconds since the server's answer was received. */
  readonly age: number;
  /** False for a 304 and for bytes equal to those stored before. */
  readonly changed: boolean;
  /** Null where the answer is not stored. */
  readonly revision: Revision | null;
  readonly request: SentRequest;
  /**
   * When it was asked for, in milliseconds of the epoch: it contains all writes that had ended by then. Missing where that is not
   * known.
   */
  readonly asOf?: number | undefined;
  /** Of a write: when it ended, in milliseconds of the epoch. What is asked for later contains it. */
  readonly endedAt?: number | undefined;
}

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The server's answer, if there was one. */
  readonly answer: Answer | null;
  /** Null where nothing was sent. */
  readonly request: SentRequest | null;
  /** True for a write if an earlier answer to it was lost: the server may have performed it before it refused. */
  readonly lost?: boolean | undefined;
  /** Present where the refusal is an earlier one that is still fresh: nothing was sent. */
  readonly servedFrom?: 'cache' | undefined;
  /** Seconds since that was made. */
  readonly age?: number | undefined;
}

/** The outcome of a request that its server has just answered. */
export function answeredNow<Body>(
  answer: Answer<Body>,
  request: SentRequest,
  { changed, revision }: Pick<Answered, 'changed' | 'revision'> = { changed: true, revision: null },
): Answered<Body> {
  return {
    kind: 'answered',
    answer,
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed,
    revision,
    request,
  };
}

/** The outcome of a call without an answer, of which nothing is known to have been sent. */
export function unanswered(failure: Failure): Failed {
  return { kind: 'failed', failure, answer: null, request: null };
}

/**
 * False where the server certainly did not perform the call: it refused, it answered 503, or nothing was sent. True
 * otherwise: a lost answer leaves that open, and so does any other 5xx, which may come after the deed.
 */
export function mayBeDone(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return true;
  const { failure, request, lost } = outcome;
  if (lost) return true;
  if (failure.code === 'http') return mayFollowDeed(failure.status);
  // Where a request was sent at all, it was answered with 401.
  if (failure.code === 'credentials') return false;
  return request !== null && failure.code !== 'offline';
}

/** True where a server that answers with this status may have performed the call. */
export function mayFollowDeed(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** True where the call was aborted, which says nothing about the server. */
export function isAborted(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'aborted';
}

/** A server's answer as the page gets it. */
export interface Answer<Body = AnswerBody> {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Body;
}

/**
 * A parsed body, with the length of its text where that is known; `isLeftOut`: it is not told, and null stands for it
 * (`leftOut`). Bytes become a `Blob` in the page.
 */
export type AnswerBody =
  | { readonly kind: 'value'; readonly value: unknown; readonly size?: number; readonly isLeftOut?: boolean }
  | { readonly kind: 'bytes'; readonly bytes: ArrayBuffer; readonly type: string };

/**
 * Names one state of a response. A new lineage begins when counting starts afresh, and its name tells when; the number
 * counts within it. Within a lineage the higher number is newer; of two lineages the younger is (`isNewer`).
 */
export interface Revision {
  readonly lineage: string;
  readonly number: number;
}

/** True where both are the same state of the same response. */
export function isSameRevision(one: Revision, other: Revision): boolean {
  return one.lineage === other.lineage && one.number === other.number;
}

/** The request that was sent, without the values of secret headers. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
}

/**
 * The name of a new lineage: its ordinal, which orders lineages, and something unguessable, so that no two have the
 * same name. The worker gives a new lineage a higher ordinal than any that it or its pages know
 * (`worker/cache/change.ts`).
 */
export function newLineage(ordinal: number, unique: string): string {
  return `${ordinal}-${unique}`;
}

/** The ordinal of a lineage; 0 for a name without one. */
export function ordinalOf(line: string): number {
  return Number(/^\d+/.exec(line)?.[0] ?? 0);
}

/** True where `revision` is newer than `other`: within a lineage by number, else by the younger lineage. */
export function isNewer(revision: Revision, other: Revision): boolean {
  return revision.lineage === other.lineage
    ? revision.number > other.number
    : isYoungerLineage(revision.lineage, other.lineage);
}

/** True where a lineage began after another. Two that began at once have the same order everywhere. */
export function isYoungerLineage(line: string, other: string): boolean {
  const [begun, before] = [ordinalOf(line), ordinalOf(other)];
  return begun === before ? line > other : begun > before;
}
