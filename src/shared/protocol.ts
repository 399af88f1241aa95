import type { CredentialsReply } from './credentials.ts';
import type { Cursor, Wait } from './cursor.ts';
import type { EarlyAnswer } from './early.ts';
import type { Failure } from './failure.ts';
import type { Claim, Identity } from './identity.ts';
import type { Pace } from './pace.ts';
import type { Inspection, StoredAnswer, StoredPage } from './inspection.ts';
import type { Invocation } from './invocation.ts';
import type { Delivered, LogOffset } from './delivery.ts';
import type { Decided, Decision, OutboxPage, Ticket } from './outbox.ts';
import type { Revision } from './outcome.ts';
import type { RowsQuery, RowsAnswer } from './part.ts';

/** The newest protocol that this build speaks: raised when a message changes its meaning. */
export const PROTOCOL = 1;

/** The oldest that it still speaks: during updates, a page and a worker of neighbouring builds meet. */
export const OLDEST_PROTOCOL = 1;

/** The calls that a worker offers to a page: few and coarse. `delivery.ts` has the worker's messages. */
export interface WorkerApi {
  /** Answered only once the instance's lock is held. */
  greet(greeting: Greeting): Promise<Welcome>;
  /** Takes the invocations of one turn of the event loop; outcomes come with the receipt and through `deliver`. */
  submit(batch: readonly Submission[]): Promise<Receipt>;
  control(command: Command): Promise<Reply>;
}

/** The call that a page offers to the worker. Its reply acknowledges the batch, which lets the next one go. */
export interface PageApi {
  deliver(batch: readonly Delivered[]): void;
}

export const WORKER_CALLS: readonly (keyof WorkerApi)[] = ['greet', 'submit', 'control'];
export const PAGE_CALLS: readonly (keyof PageApi)[] = ['deliver'];

/** The desired state: everything that a page wants. The worker ends everything else that it has of the page. */
export interface Greeting {
  /** The newest protocol that the page speaks. */
  readonly protocol: number;
  /** The oldest that it speaks. */
  readonly oldest: number;
  /** The page has missed deliveries of this worker, which forgets its answers; the page asks again where it may. */
  readonly resync: boolean;
  /** From 1. Each greeting of a session has a higher number than the one before, and replaces it. */
  readonly number: number;
  /** The calls of the session that a worker may have. Others end, and the page is not told. */
  readonly calls: readonly number[];
  /** The loops that the page follows, with the rest of their waits. Others end. */
  readonly loops: readonly LoopDeclaration[];
  /** Loops that go on as they are. One message is too small for all, so their declarations follow in others. */
  readonly later: readonly number[];
  readonly hidden: boolean;
  /** The page saw the network come back, and no worker has heard of it yet. */
  readonly online: boolean;
  /** The highest ordinal of a lineage that the page knows; missing for none. */
  readonly lineage?: number;
  /** The origins for which the page has a provider of credentials; missing for none. */
  readonly provides?: readonly string[];
  /** Who is signed in as far as the page knows: all that it wants is for that identity. Missing where it knows nothing. */
  readonly identity?: Claim;
}

export type Welcome = Accepted | Draining | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * This worker instance ends for a newer worker and takes nothing any more; the page waits for the next one. The worker
 * says so, since a page must not take silence for an answer.
 */
export interface Draining {
  readonly kind: 'draining';
  /** The Web Lock that is free once this instance has ended; null where the platform has none. */
  readonly lock: string | null;
}

export interface Accepted {
  readonly kind: 'welcome';
  /** The newest protocol that both speak. They speak it from here on. */
  readonly protocol: number;
  /** Names the worker instance. */
  readonly instance: string;
  /** The Web Lock that this instance holds as long as it lives; null where the platform has none. */
  readonly lock: string | null;
  /** The calls of the session that this instance has, under way or answered. They need not be sent again. */
  readonly taken: readonly number[];
  /** Null where this instance does not know yet: then pages count as nobody's. Missing from older workers. */
  readonly identity?: Identity | null;
}

/**
 * Says which calls of a batch the worker has taken. It goes when there is other news for the page, at the latest when
 * the calls are answered and stored.
 */
export interface Receipt {
  /** Calls that were not taken. The page sends them again after the next greeting. */
  readonly declined: readonly number[];
  /**
   * This worker instance has not been greeted, and has taken none of the batch: calls that an earlier instance left
   * behind go first. A worker that declines and is no stranger is about to be replaced.
   */
  readonly stranger: boolean;
  /** Calls that were refused, and why; missing for none. The others of the batch are taken. */
  readonly refused?: readonly Refused[];
  /** Small deliveries that were ready by then; empty or missing for none. */
  readonly deliveries?: readonly Delivered[];
}

export interface Refused {
  readonly id: number;
  readonly failure: Failure;
}

export interface Submission {
  /** The invocation's id, unique in its session. */
  readonly id: number;
  readonly invocation: Invocation;
  readonly interest: EventInterest;
  /** The epoch of the identity for which it is called; missing where the page has heard of none. */
  readonly epoch?: number;
  /** It is to be stored and sent later, and not answered now; missing for any other call. */
  readonly ticket?: Ticket | undefined;
}

/** The events of a call or loop that a page listens for. The others are not sent. */
export interface EventInterest {
  readonly started: boolean;
  readonly sent: boolean;
  readonly progress: boolean;
  /**
   * False for a loop of which nobody in the page wants whole answers: an answer whose rows can be asked for comes
   * without its body. Missing for true. When it becomes true again, the newest answer is told at once.
   */
  readonly body?: boolean;
  /** False for a poll whose page does not want to hear of unchanged answers. Missing for true. */
  readonly unchanged?: boolean;
}

/** A loop as its page declares it. After the worker's death the page declares it again, with the rest of the wait. */
export interface LoopDeclaration {
  /** Made by the page, unique in its session. */
  readonly loop: number;
  readonly pace: Pace;
  readonly invocation: Invocation;
  readonly interest: EventInterest;
  /** Milliseconds until the first request, unless a loop of another page already asks for the same. */
  readonly firstIn: number;
  /** How the loop follows a feed. This and all members below are null or missing for none. */
  readonly cursor?: Cursor | null;
  /** How its requests ask the server to hold them. */
  readonly wait?: Wait | null;
  /** Milliseconds over which the loop asks again after all long-polls were cut at once. */
  readonly spread?: number | null;
  /** Missing for a loop that the page declares for the first time. */
  readonly again?: Again | null;
  /** For a feed, the last answer before those that the page is still to be told; null where no worker has said. */
  readonly position?: LogOffset | null;
  /** The loop asks at once and goes on from there, instead of joining the request under way. */
  readonly restart?: boolean;
  /** Milliseconds since its last request, which a new worker instance does not know. */
  readonly askedAgo?: number | null;
  /** The loop of the same session that this one replaces. The page stops it next, so no limit counts both. */
  readonly replaces?: number | null;
}

/** Tells a new worker instance how far the page has heard of a loop. */
export interface Again {
  /** For a state, the newest that the page has; null for none. */
  readonly revision: Revision | null;
  /** Milliseconds by which the next request is late. */
  readonly overdueBy: number;
  /** The page knows that there is something newer, and wants it at once. Missing for false. */
  readonly behind?: boolean;
  /**
   * The last tick that the page heard brought an answer, or found no network. The worker may have died before it stored
   * that. Missing before the first tick, and after a failure of the server.
   */
  readonly last?: 'answered' | 'cut-off';
}

export type Command =
  | { readonly kind: 'abort'; readonly ids: readonly number[] }
  | { readonly kind: 'declare'; readonly declaration: LoopDeclaration; readonly epoch?: number }
  | { readonly kind: 'pace'; readonly loop: number; readonly interval: number }
  /** Ends the request that a loop has out; the loop goes on. */
  | { readonly kind: 'cut'; readonly loop: number }
  | { readonly kind: 'interest'; readonly loop: number; readonly interest: EventInterest }
  | { readonly kind: 'stop'; readonly loop: number }
  /**
   * The worker holds the event of one page, the keepalive leader, for a while and then answers, and that page asks
   * again. It answers another page when that one becomes the leader. A page that cannot see the worker's death is
   * always answered.
   */
  | { readonly kind: 'keepalive'; readonly hidden: boolean; readonly watched: boolean }
  | { readonly kind: 'visibility'; readonly hidden: boolean }
  /** The origins for which the page has a provider of credentials. It has none for others. */
  | { readonly kind: 'provides'; readonly origins: readonly string[] }
  /** The answer to `credentials-wanted`. */
  | { readonly kind: 'credentials'; readonly question: string; readonly reply: CredentialsReply }
  /** The page saw the network come back. */
  | { readonly kind: 'online' }
  /** The page is about to go, and may come back. Its loops end, and it is told nothing before it greets again. */
  | { readonly kind: 'leave' }
  /** The session is over: everything of it ends, and it counts towards no limit. */
  | { readonly kind: 'close' }
  /**
   * A newer worker is to take over. The worker takes no more work and cuts requests that can be repeated. It answers
   * when no request is out that must not be repeated, and no event is held.
   */
  | { readonly kind: 'drain' }
  | { readonly kind: 'clear-cache' }
  | StoredCommand
  | { readonly kind: 'inspect' }
  | {
      readonly kind: 'part';
      readonly invocation: Invocation;
      readonly part: RowsQuery;
      readonly epoch?: number;
    }
  /** What came of the requests that the page has sent by itself, while it had no worker. */
  | { readonly kind: 'adopt'; readonly answers: readonly EarlyAnswer[]; readonly epoch?: number }
  /**
   * What waits after that place; with `entries`, what has become of these, from the `after`th on. `isBrief`: without what they
   * send.
   */
  | {
      readonly kind: 'list-outbox';
      readonly after: number | null;
      readonly entries: readonly string[] | null;
      readonly isBrief?: boolean;
      readonly epoch?: number;
    }
  | {
      readonly kind: 'decide';
      readonly entry: string;
      readonly decision: Decision;
      readonly epoch?: number;
    }
  | { readonly kind: 'sign-in'; readonly name: string }
  /** `epoch`: that of the page, whose user's writes are meant. */
  | { readonly kind: 'sign-out'; readonly pendingWrites: PendingWrites; readonly epoch?: number };

/** Shows or removes what is stored for the identity of that epoch. A page of another one is shown nothing. */
export type StoredCommand =
  /** The stored answers after that key; null for the first of them. */
  | { readonly kind: 'list-stored'; readonly after: string | null; readonly epoch?: number }
  /** The newest answer that is stored for a URL. */
  | { readonly kind: 'read-stored'; readonly url: string; readonly epoch?: number }
  | { readonly kind: 'remove-stored'; readonly url: string; readonly epoch?: number };

/** What becomes of writes that wait to be sent: they are kept for when their identity signs in again, or discarded. */
export type PendingWrites = 'keep' | 'discard';

export type Reply =
  | { readonly kind: 'done' }
  /** This worker instance has not been greeted. The command had no effect; the next greeting says it again. */
  | { readonly kind: 'stranger' }
  /** The command holds for this worker instance alone. The next greeting says it again. */
  | { readonly kind: 'not-stored' }
  | { readonly kind: 'inspection'; readonly inspection: Inspection }
  | { readonly kind: 'stored-page'; readonly page: StoredPage }
  | { readonly kind: 'stored-answer'; readonly answer: StoredAnswer | null }
  | { readonly kind: 'part'; readonly part: RowsAnswer }
  | { readonly kind: 'outbox-page'; readonly page: OutboxPage }
  | { readonly kind: 'decided'; readonly as: Decided }
  | { readonly kind: 'identity'; readonly identity: Identity }
  /** The command has not done what it is for. */
  | { readonly kind: 'failed'; readonly failure: Failure };
