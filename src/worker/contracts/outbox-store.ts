import type { Failure } from '../../shared/failure.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { Lookup } from './response-store.ts';

/**
 * A write that was accepted and waits for its server, as it is stored. The invocation is stored and not a request: URL,
 * headers and credentials are made anew each time it is sent.
 */
export interface WaitingWrite {
  /** Orders the queue: each write has a higher one than all before it. */
  readonly place: number;
  readonly id: string;
  /** The resource's name, by which a later life of the page finds its declaration. */
  readonly resource: string;
  /** Without its body, which is stored apart: five thousand writes need no more memory than their descriptions. */
  readonly invocation: Invocation;
  /** Writes of one lane are sent one after the other, in the order of their places. */
  readonly lane: string;
  /** The `Idempotency-Key` of every attempt: the server performs all of them once. */
  readonly key: string;
  readonly state: WriteState;
  /** How often it was sent, or may have been. */
  readonly attempts: number;
  /** Failures in a row: they decide how long the next attempt waits. */
  readonly failures: number;
  /** It is not sent before, in milliseconds of the epoch. */
  readonly notBefore: number;
  /** Why the last attempt did not succeed; null before that. */
  readonly failure: Failure | null;
  /** Milliseconds of the epoch. */
  readonly queuedAt: number;
  /** Stands for the id of what this write creates until its server has named it; null where it creates nothing. */
  readonly temporaryId: string | null;
  /** The temporary ids of earlier writes that this one names. */
  readonly uses: readonly string[];
  /** What its server said as it was done; null before. */
  readonly answer: Answer | null;
  /** Since when its server redirects it; null where it does not. Milliseconds of the epoch. */
  readonly redirectedSince: number | null;
}

export type WriteState =
  | 'queued'
  /** It was sent, and is not answered yet. After the end of a worker it is queued again, under the same key. */
  | 'sending'
  /** Its server wants other credentials. */
  | 'paused'
  /** Its server has another version: somebody has to choose. */
  | 'conflict'
  /** Its server has refused it for good: somebody has to look at it. */
  | 'review'
  /** Its server has performed it. It stays until pages are told. */
  | 'done';

/** A write that is not stored yet: the store gives it its place. */
export type NewWrite = Omit<WaitingWrite, 'place'>;

/**
 * Where writes wait: what it has resolved with lies on the disk. Every engine may add; only the acting one changes and
 * removes, and that of another rejects with `StaleGeneration`. No read rejects.
 */
export interface OutboxStore {
  /** All that wait, in their order. */
  all(): Promise<Lookup<readonly WaitingWrite[]>>;
  body(write: WaitingWrite): Promise<Lookup<RequestBody>>;
  /** Rejects where there are too many, where the browser has no room for it, and where the database fails. */
  add(write: NewWrite, body: RequestBody): Promise<WaitingWrite>;
  /** Of those that are gone meanwhile nothing is stored. */
  change(writes: readonly WaitingWrite[], generation: number | null): Promise<void>;
  remove(places: readonly number[], generation: number | null): Promise<void>;
}
