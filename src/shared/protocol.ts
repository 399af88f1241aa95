import type { Cursor, Wait } from './cursor.ts';
import type { Failure } from './failure.ts';
import type { Inspection, OriginStatus } from './inspection.ts';
import type { Invocation } from './invocation.ts';
import type { Header } from './header.ts';
import type { AnswerBody, Outcome, Revision } from './outcome.ts';
import type { RowsQuery, RowsAnswer } from './part.ts';
import type { Patch } from './patch.ts';

/** The newest protocol that this build speaks: raised whenever a message changes its meaning. */
export const PROTOCOL = 1;

/** The oldest that it still speaks: a page and a worker of neighbouring builds meet during updates. */
export const OLDEST_PROTOCOL = 1;

/** What a worker offers to a page: few, coarse calls. */
export interface WorkerApi {
  /** Answered only once the instance's lock is held. */
  greet(greeting: Greeting): Promise<Welcome>;
  /** Takes the invocations of one turn of the event loop; outcomes come with the receipt and through `deliver`. */
  submit(batch: readonly Submission[]): Promise<Receipt>;
  control(command: Command): Promise<Reply>;
}

/** What a page offers to the worker; the reply is the acknowledgement that lets the next batch go. */
export interface PageApi {
  deliver(batch: readonly Delivered[]): void;
}

export const WORKER_CALLS: readonly (keyof WorkerApi)[] = ['greet', 'submit', 'control'];
export const PAGE_CALLS: readonly (keyof PageApi)[] = ['deliver'];

/**
 * All that a page wants, which is more than what it says between two greetings: what the worker has of the page beside
 * this ends.
 */
export interface Greeting {
  /** The newest protocol that the page speaks. */
  readonly protocol: number;
  /** The oldest that it speaks. */
  readonly oldest: number;
  /**
   * The page has missed deliveries of this worker's, which is to forget what it has answered: the page asks again for
   * what it may, and gives up the rest.
   */
  readonly resync: boolean;
  /** From 1; each of a session is above the one before, which it replaces. */
  readonly number: number;
  /** The calls of the session that a worker may have. Others end without a word. */
  readonly calls: readonly number[];
  /** The loops that the page follows, with what is left of their waits. Others end. */
  readonly loops: readonly LoopDeclaration[];
  /** Loops that go on as they are: their declarations follow in messages of their own, for one message is too small. */
  readonly later: readonly number[];
  /** Whether the page is hidden. */
  readonly hidden: boolean;
  /** Whether the page saw the network come back, and no worker has heard of it yet. */
  readonly online: boolean;
  /** The highest ordinal of a line of revisions that the page knows; missing for none. */
  readonly lineage?: number;
}

export type Welcome = Accepted | Draining | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * This life of the worker ends for a newer one and takes nothing any more: the page waits for the next, rather than take
 * silence for an answer.
 */
export interface Draining {
  readonly kind: 'draining';
  /** The Web Lock that is free when this life is over; null where the platform has none. */
  readonly lock: string | null;
}

export interface Accepted {
  readonly kind: 'welcome';
  /** The newest protocol that both speak: the one that is spoken from here on. */
  readonly protocol: number;
  /** Names one life of the worker. */
  readonly instance: string;
  /** The Web Lock held for that life; null where the platform has none. */
  readonly lock: string | null;
  /** The calls of the session that this life has, under way or answered: they need not be sent again. */
  readonly taken: readonly number[];
}

/** What became of a batch, told when there is news for the page anyway, at the latest when its calls are answered and stored. */
export interface Receipt {
  /** Calls that are not taken: they are to be sent again after the next greeting. */
  readonly declined: readonly number[];
  /**
   * This life of the worker has not been greeted, and has taken none of the batch: what an earlier life left behind
   * goes first. Otherwise a worker that declines is about to be replaced.
   */
  readonly stranger: boolean;
  /** Calls that are not let in, and why; missing for none. The others of the batch are taken. */
  readonly refused?: readonly Refused[];
  /** What else the worker has to say by then, in few words; empty or missing for nothing. */
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
}

/** Which steps on the way a page listens for; the others are not sent. */
export interface EventInterest {
  readonly started: boolean;
  readonly sent: boolean;
  readonly progress: boolean;
  /**
   * Of a loop, false where nobody in the page wants whole answers: those whose parts can be asked for come without
   * their body. Missing for true, as older pages leave it. Where it is true again, the newest is told at once.
   */
  readonly body?: boolean;
  /** Of a poll, false where nobody wants to hear that an answer is the one of before. Missing for true. */
  readonly unchanged?: boolean;
}

/** A loop as its page declares it: again after the worker's death, with what is left of the wait. */
export interface LoopDeclaration {
  /** Made by the page, unique in its session. */
  readonly loop: number;
  readonly pace: Pace;
  readonly invocation: Invocation;
  readonly interest: EventInterest;
  /** Milliseconds until the first request, where no loop of another page asks for the same. */
  readonly firstIn: number;
  /** How it keeps its place in a feed; null or missing for none, as all below: older pages say nothing of them. */
  readonly cursor?: Cursor | null;
  /** How its requests ask to be held. */
  readonly wait?: Wait | null;
  /** Milliseconds over which it asks again after all long-polls were cut at once. */
  readonly spread?: number | null;
  /** What the page has of a loop that it declared before. */
  readonly again?: Again | null;
  /** Of a feed, the last answer before those that the page is still to be told; null where no worker has said. */
  readonly position?: LogOffset | null;
  /** It goes on from here, at once, rather than joining in what is under way. */
  readonly restart?: boolean;
  /** Milliseconds since its last request, which a new life of the worker does not know; null or missing for none. */
  readonly askedAgo?: number | null;
  /** The loop of the same session that this one takes the place of, and that is stopped next: no limit counts both. */
  readonly replaces?: number | null;
}

/** What a page has heard of a loop, told to a new life of the worker. */
export interface Again {
  /** Of a state, the newest that it has; null for none. */
  readonly revision: Revision | null;
  /** Milliseconds by which the next request is late. */
  readonly overdueBy: number;
  /** Whether it knows that there is something newer, which it is to be told at once. Missing for false. */
  readonly behind?: boolean;
}

/** A place in the log of a feed's answers. */
export interface LogOffset {
  /** Names the log: its numbers mean nothing in another. */
  readonly log: string;
  /** From 1, without gaps; 0 before the first. */
  readonly offset: number;
}

export type Pace =
  | { readonly kind: 'poll'; readonly interval: number; readonly hidden: WhileHidden }
  /** It is asked on while its page is hidden; `hidden` says what the page hears then, 'slow' where it is missing. */
  | { readonly kind: 'long-poll'; readonly hidden?: HeardWhileHidden };

/** How a poll goes on while its page is hidden: as always, once a minute at most, or not at all. */
export type WhileHidden = 'continue' | 'slow' | 'pause';

export type HeardWhileHidden = Exclude<WhileHidden, 'pause'>;

export type Command =
  | { readonly kind: 'abort'; readonly ids: readonly number[] }
  | { readonly kind: 'declare'; readonly declaration: LoopDeclaration }
  | { readonly kind: 'pace'; readonly loop: number; readonly interval: number }
  /** Ends the request that a loop has out; the loop goes on. */
  | { readonly kind: 'cut'; readonly loop: number }
  | { readonly kind: 'interest'; readonly loop: number; readonly interest: EventInterest }
  | { readonly kind: 'stop'; readonly loop: number }
  /**
   * Keepalive: the worker holds the event of one page for a while, then answers, and that page asks again; the others
   * are answered when it is their turn. A page that cannot watch over the worker's life is always answered.
   */
  | { readonly kind: 'keepalive'; readonly hidden: boolean; readonly watched: boolean }
  /** The page is shown or hidden. */
  | { readonly kind: 'visibility'; readonly hidden: boolean }
  /** The page saw the network come back. */
  | { readonly kind: 'online' }
  /** The page is about to go, perhaps to come back: its loops end, and it is told nothing before it greets. */
  | { readonly kind: 'leave' }
  /** The session is over: all of it ends, and it counts no more. */
  | { readonly kind: 'close' }
  /**
   * A newer worker is to take over. The worker takes no more work, cuts what can be asked again, and answers when
   * nothing is out that must not be asked twice, and no event is held.
   */
  | { readonly kind: 'drain' }
  | { readonly kind: 'clear-cache' }
  | { readonly kind: 'inspect' }
  /** Asks for rows of the newest stored answer. */
  | { readonly kind: 'part'; readonly invocation: Invocation; readonly part: RowsQuery };

export type Reply =
  | { readonly kind: 'done' }
  /** This life of the worker has not been greeted: the command had no effect, and is part of the next greeting. */
  | { readonly kind: 'stranger' }
  /** It is done as long as this life of the worker lasts: the next greeting says it again. */
  | { readonly kind: 'not-stored' }
  | { readonly kind: 'inspection'; readonly inspection: Inspection }
  | { readonly kind: 'part'; readonly part: RowsAnswer };

/** A delivery as it travels. */
export type Delivered = Delivery & { readonly place: DeliveryPosition };

/** Where a delivery stands among all that one life of the worker has for a page. */
export interface DeliveryPosition {
  /** Names that sequence. */
  readonly sequence: string;
  /** From 1, without gaps. */
  readonly number: number;
}

export type Delivery =
  | {
      readonly kind: 'sent';
      readonly to: Addressee;
      readonly status: number;
      readonly headers: readonly Header[];
    }
  | { readonly kind: 'progress'; readonly to: Addressee; readonly progress: Progress }
  | Chunk
  /** A call is repeated after so many milliseconds: not before, by whichever life of the worker. */
  | { readonly kind: 'waiting'; readonly to: Addressee; readonly wait: number }
  | { readonly kind: 'settled'; readonly id: number; readonly outcome: Outcome<SentBody> }
  /** One tick of a loop; null where a long-poll brought nothing new. */
  | Ticked
  /**
   * A feed's answers that the page was to be told next are lost to it, or the server no longer knows the loop's place:
   * it starts afresh.
   */
  | { readonly kind: 'reset'; readonly loop: number; readonly failure: Failure }
  /** Where a page begins in a feed: it can tell another life of the worker, though it may have been told no answer yet. */
  | { readonly kind: 'joined'; readonly loop: number; readonly position: LogOffset }
  /** The worker ends its work for a newer one: what the page wants from now on is for that one. */
  | { readonly kind: 'draining' }
  /** A loop has sent its request. */
  | { readonly kind: 'ticking'; readonly loop: number }
  | { readonly kind: 'storage'; readonly mode: 'indexeddb' | 'memory'; readonly reason: string }
  | OriginReport;

/** Rows of a body that is `chunked`: these come first, in order, each in a message of its own, and then the outcome. */
export interface Chunk {
  readonly kind: 'chunk';
  readonly to: Addressee;
  /** From 0, without gaps. */
  readonly index: number;
  /** Where the list lies that these are of, as `Chunked` says. */
  readonly path: readonly string[];
  /** JSON text of a list. */
  readonly text: string;
}

/** What is known of an origin has changed: `unknown` is one that was forgotten. */
export interface OriginReport {
  readonly kind: 'origin';
  readonly origin: string;
  readonly status: OriginStatus | 'unknown';
}

export interface Ticked {
  readonly kind: 'tick';
  readonly loop: number;
  readonly outcome: Outcome<SentBody>;
  readonly nextIn: number | null;
  /** When that was said, in milliseconds of the epoch: a page that was frozen hears it late. Missing for just now. */
  readonly at?: number;
  /** Of a feed, where the answer stands in its log. */
  readonly entry?: LogOffset;
  /** The answer is that of the request to catch up. */
  readonly isCatchUp?: boolean;
}

/** A body as it travels. */
export type SentBody =
  | AnswerBody
  /** The page parses it, which costs it less than to have the parsed body copied. */
  | JsonText
  | Patches
  | Chunked
  | Unsent;

export interface JsonText extends Named {
  readonly kind: 'json';
  readonly text: string;
}

/** What makes the body of the one that the page has of this loop, in the state `from`: nothing where there are none. */
export interface Patches extends Named {
  readonly kind: 'patches';
  readonly from: Revision;
  readonly patches: readonly Patch[];
}

/** A body that later ones are told by. */
interface Named {
  /** What it goes by where the answer has no revision, as long as the worker lives; missing where it has, or for nothing. */
  readonly as?: Revision;
}

/** A body whose rows have come before, in chunks: to parse all of it at once would hold up the page. */
export interface Chunked extends Named {
  readonly kind: 'chunked';
  /** Where the list lies, as keys from the root; [] is the root itself. */
  readonly path: readonly string[];
  /** JSON text of the body with `null` in the list's place. */
  readonly envelope: string;
  /** How many chunks make the list. */
  readonly chunks: number;
}

/** The page has said of its loop that nobody wants it (`Tell.body`), or it is hidden and told no more until it is shown. */
export interface Unsent {
  readonly kind: 'unsent';
}

/** Whom a step on the way is for. */
export type Addressee = { readonly id: number } | { readonly loop: number };

export interface Progress {
  /** Bytes so far, as they come out of the content coding. */
  readonly loaded: number;
  /** Bytes in all; null where the server did not say. */
  readonly total: number | null;
}
