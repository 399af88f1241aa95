import type { Failure } from './failure.ts';
import type { Header } from './header.ts';
import type { Params, RequestBody } from './invocation.ts';
import type { Answer, AnswerBody } from './outcome.ts';

/** What the call of an action with `offline: 'queue'` brings along. The page makes it, so that a call which is sent to two workers is queued once. */
export interface Ticket {
  /** Names the write. */
  readonly entry: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
  /** The resource's name, by which later lives of the page find its declaration. */
  readonly resource: string;
  readonly action: string;
  /** Writes of one lane are sent one after the other, in their order. */
  readonly lane: string;
  /** Only for a write that creates something. */
  readonly creates?: Creation;
  /** True where pages show what it will have changed: they hear of each of its states. */
  readonly isShown?: boolean;
}

/** What each temporary id begins with. */
export const TEMPORARY_MARK = 'temporary-';

/** What a write creates. */
export interface Creation {
  /** Stands for its id until its server has named it. */
  readonly temporaryId: string;
  /** Where in the answer its id stands: a JSON Pointer (RFC 6901). */
  readonly at: string;
}

/** The id that a server has given to what a write has created. */
export type GivenId = string | number;

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
  /** Its server has performed it. It is known for a while, so that pages which missed that hear of it. */
  | 'done'
  /** Somebody has discarded it. It is known for a while, so that a call which is handed in again is not queued again. */
  | 'discarded';

/** A write that waits, as pages are told of it. */
export interface WriteReport extends Omit<Ticket, 'creates' | 'isShown'> {
  readonly state: WriteState;
  readonly params: Params;
  readonly headers: readonly Header[];
  /** Null where it is too large to be told. */
  readonly body: RequestBody | null;
  /** How often it was sent, or may have been. */
  readonly attempts: number;
  /** Why the last attempt did not succeed; null before that. */
  readonly failure: Failure | null;
  /** Milliseconds of the epoch. */
  readonly queuedAt: number;
  /** Stands for the id of what it creates until its server has named it; null where it creates nothing. */
  readonly temporaryId: string | null;
  /** What its server has named that; null before. */
  readonly givenId: GivenId | null;
  /** What its server said as it was done, or to refuse it; null before. */
  readonly answer: Answer | null;
  /** The URL that was asked last; null before. */
  readonly url: string | null;
  /** Orders the queue: each write has a higher one than all before it. */
  readonly place: number;
  /** Counts what was decided about it: of two reports, that with the higher one is later. */
  readonly version: number;
  /**
   * When it was performed or discarded, in milliseconds of the epoch; null before. What is asked for later contains it. One that was
   * discarded on its way may be told once more, with the end of that attempt: its server may have performed it until then.
   */
  readonly endedAt: number | null;
  /** True where pages show what it will have changed. */
  readonly isShown: boolean;
}

export interface OutboxCounts {
  /** Writes that wait, those that wait for a decision among them. */
  readonly waiting: number;
  /** Those that wait for nothing but their server. */
  readonly due: number;
  /** How often this worker has got back writes that were lost: who has read before lacks them. Absent where it cannot say. */
  readonly restored?: number;
}

/** A part of the outbox, in its order, or of the entries that were asked for by their names, in the order of these. */
export interface OutboxPage {
  readonly entries: readonly WriteReport[];
  /** What the next part is asked for with: a place, or how many of the names were looked up; null after the last. */
  readonly next: number | null;
}

/** What somebody decides about a write that waits. */
export type Decision =
  /** It is sent as soon as its lane lets it, under the same key. */
  | { readonly kind: 'retry' }
  /**
   * It is never sent again. `version`: as of an edit. `isGivenUp`: its call has ended, so it is not sent from here on, though this cannot
   * be stored yet.
   */
  | { readonly kind: 'discard'; readonly version?: number; readonly isGivenUp?: boolean }
  /** It is sent with these in place of its own, under another key; null for what stays. */
  | {
      readonly kind: 'edit';
      readonly key: string;
      readonly params: Params | null;
      readonly body: RequestBody | null;
      /** An empty one takes away that of the write. */
      readonly contentType: string | null;
      /** The version of the write (`WriteReport`) that the user has seen: of another one nothing is changed. Left out, any version will do. */
      readonly version?: number;
      /** False where that was no conflict: the version that its server has named since is not replaced. Left out, it is. */
      readonly isOfConflict?: boolean;
    };

/**
 * What came of a decision. `absent`: no such write waits. `sent`: its server may have the write, so it cannot be edited now. `changed`:
 * somebody has decided about the write since, so the decision was made for an older version.
 */
export type Decided = 'decided' | 'absent' | 'sent' | 'changed';

/** Stands for the body of an answer that is not kept, of so many bytes. */
export function leftOut(size: number): AnswerBody {
  return { kind: 'value', value: null, size, isLeftOut: true };
}

export function isLeftOut({ body }: Answer): boolean {
  return body.kind === 'value' && body.isLeftOut === true;
}
