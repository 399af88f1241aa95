import type { Failure } from '../../shared/failure.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { GivenId, Ticket, WriteState } from '../../shared/outbox.ts';
import type { Lookup } from './response-store.ts';
import type { Naming } from './temporary-id.ts';

/**
 * A write that was accepted and waits for its server, as it is stored. The invocation is stored and not a request: URL,
 * headers and credentials are made anew each time it is sent.
 */
export interface WaitingWrite extends Omit<Ticket, 'creates' | 'isShown'> {
  /** Orders the queue: each write has a higher one than all before it. */
  readonly place: number;
  /** Counts what somebody has decided about it. An engine that does not know the last decision changes nothing. */
  readonly version: number;
  /** Without its body, which is stored apart: five thousand writes need no more memory than their descriptions. */
  readonly invocation: Invocation;
  readonly state: WriteState;
  /** How often it was sent, or may have been. */
  readonly attempts: number;
  /** True where an attempt may have been performed, though nobody has heard so. */
  readonly mayBeDone: boolean;
  /** Failures in a row: they decide how long the next attempt waits. */
  readonly failures: number;
  /** It is not sent before, in milliseconds of the epoch. */
  readonly notBefore: number;
  /** Until when its server wants to be left alone, in milliseconds of the epoch; 0 where it does not say. */
  readonly floor: number;
  /** Why the last attempt did not succeed; null before that. */
  readonly failure: Failure | null;
  /** Milliseconds of the epoch. */
  readonly queuedAt: number;
  /** Stands for the id of what this write creates until its server has named it; null where it creates nothing. */
  readonly temporaryId: string | null;
  /** Where in the answer that id stands, as a JSON Pointer; null where it creates nothing. */
  readonly idAt: string | null;
  /** What its server has named it; null before. */
  readonly givenId: GivenId | null;
  /** The temporary ids that it names, in its params or its body. */
  readonly uses: readonly string[];
  /** What its server said as it was done, or to refuse it; null before. */
  readonly answer: Answer | null;
  /** The URL that was asked last; null before. */
  readonly url: string | null;
  /** The ETag of the version that it changes, which goes as `If-Match`; null where none is known. */
  readonly matches: string | null;
  /** When it was performed or discarded, as far as is known, in milliseconds of the epoch; null before. */
  readonly endedAt: number | null;
  /** Since when nothing is answered that its server can have meant; null where something was. Milliseconds of the epoch. */
  readonly unclearSince: number | null;
  /** When its server said 409 for the first time after an attempt whose answer was lost: it may be at work on that. Null before. */
  readonly busySince: number | null;
  /** True where pages show what it will have changed: they hear of each of its states. */
  readonly isShown: boolean;
  /** True where a page provided credentials for its origin as it was queued, or as it was sent: it is not sent without any. */
  readonly needsCredentials: boolean;
}

/** True where nothing is left to be sent. */
export function hasEnded({ state }: Pick<WaitingWrite, 'state'>): boolean {
  return state === 'done' || state === 'discarded';
}

/** True where nothing happens until somebody has decided about it. */
export function needsDecision({ state }: Pick<WaitingWrite, 'state'>): boolean {
  return state === 'conflict' || state === 'review';
}

/** A write that is not stored yet: the store gives it its place. */
export type NewWrite = Omit<WaitingWrite, 'place'>;

/** A write before and after somebody's decision. */
export interface DecidedWrite {
  readonly before: WaitingWrite;
  readonly after: WaitingWrite;
}

/**
 * Where writes wait: what it has resolved with lies on the disk. Every engine may add and decide; only the one that took it
 * last changes them otherwise, and that of another rejects with `StaleGeneration`. A write that has ended is kept for a while
 * apart from those that wait; that it has ended is known longer.
 */
export interface OutboxStore {
  /** From here on only this engine changes what waits. Rejects where the database fails. */
  take(): Promise<void>;
  /** All that wait, in their order. Never rejects. */
  all(): Promise<Lookup<readonly WaitingWrite[]>>;
  /**
   * Those of these entries that wait or have ended; all that have ended lately where that is null. Of one that ended before, this
   * has neither what it sent nor what was answered. Rejects where the database fails.
   */
  ended(entries: readonly string[] | null): Promise<readonly WaitingWrite[]>;
  /** Rejects where what was lost may still come back, so that nobody can say of a write that there is none. */
  assertWhole(): Promise<void>;
  /** Never rejects. */
  body(write: WaitingWrite): Promise<Lookup<RequestBody>>;
  /**
   * What the first of these send, until that is more than `enough` bytes. Null in the place of each that is gone, and of each that alone
   * cannot be read. Rejects where the database fails.
   */
  bodies(writes: readonly WaitingWrite[], enough?: number): Promise<readonly (RequestBody | null)[]>;
  /**
   * The write of that name where it was added before, by whichever worker, and though it has ended. Rejects where there are too many, where the browser
   * has no room for it, and where the database fails.
   */
  add(write: NewWrite, body: RequestBody): Promise<WaitingWrite>;
  /**
   * Resolves with what is stored instead of those about which somebody has decided meanwhile; null for one that is gone. These
   * are not changed. Where one has ended that was to create something, its name is stored in the same step.
   */
  change(writes: readonly WaitingWrite[]): Promise<ReadonlyMap<number, WaitingWrite | null>>;
  /**
   * Decides about a write, in one step with the look at what it is by then. `next` is what becomes of it, the same where it
   * stays; what it names by temporary ids is found here. Null where no such write waits.
   */
  decide(
    entry: string,
    next: (write: WaitingWrite) => WaitingWrite,
    body: RequestBody | null,
  ): Promise<DecidedWrite | null>;
  /** What is known of these temporary ids: of each. One that may be that of a lost write is awaited. Rejects where the database fails. */
  names(temporaryIds: readonly string[]): Promise<ReadonlyMap<string, Naming>>;
  /**
   * Forgets what was sent and answered of writes that ended before that. That they have ended is known of the last 10,000, and their
   * names stay for thirty days at least. Both are in milliseconds of the epoch.
   */
  sweep(before: number, now: number): Promise<void>;
  /** Forgets all that have ended, but for their names. Rejects where that fails. */
  forgetEnded(): Promise<void>;
  /** Removes all, whatever it is. Rejects where that fails. */
  clear(): Promise<void>;
}
