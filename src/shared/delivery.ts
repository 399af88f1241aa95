import type { CredentialsReason } from './credentials.ts';
import type { Failure } from './failure.ts';
import type { Header } from './header.ts';
import type { Identity } from './identity.ts';
import type { OriginStatus } from './inspection.ts';
import type { AnswerBody, Outcome, Revision } from './outcome.ts';
import type { OutboxCounts, WriteReport } from './outbox.ts';
import type { Patch } from './patch.ts';

/** A delivery as it travels, with its position among all deliveries of a worker instance to a page. */
export type Delivered = Delivery & { readonly place: DeliveryPosition };

/** The position of a delivery in the sequence of all that one worker instance sends to a page. */
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
  /** The request of a call is repeated after `wait` milliseconds. No worker instance repeats it earlier. */
  | { readonly kind: 'waiting'; readonly to: Addressee; readonly wait: number }
  /** The stored answer to a call whose server is being asked: `settled` follows. A failure in its place says nothing. */
  | { readonly kind: 'preliminary'; readonly id: number; readonly outcome: Outcome<SentBody> }
  | { readonly kind: 'settled'; readonly id: number; readonly outcome: Outcome<SentBody> }
  | Ticked
  /** A gap: the feed's next answers are gone, or the server no longer knows the cursor. The page starts afresh. */
  | { readonly kind: 'reset'; readonly loop: number; readonly failure: Failure }
  /** Where a page begins in a feed. It can tell the next worker instance, even if it has been told no answer yet. */
  | { readonly kind: 'joined'; readonly loop: number; readonly position: LogOffset }
  /** The worker ends its work for a newer one, which is to hear what the page wants from now on. */
  | { readonly kind: 'draining' }
  /** A loop has sent its request. */
  | { readonly kind: 'ticking'; readonly loop: number }
  /** Another identity has taken the place of the one before: what was called and declared for that one has ended. */
  | { readonly kind: 'identity'; readonly identity: Identity }
  | { readonly kind: 'storage'; readonly mode: 'indexeddb' | 'memory'; readonly reason: string }
  | StorageOpened
  | OriginReport
  | CredentialsWanted
  /** A call with a ticket cannot be stored: it is sent like any other. */
  | { readonly kind: 'unqueued'; readonly id: number }
  /** A call with a ticket lies on the disk. It is answered by a `write`. */
  | { readonly kind: 'queued'; readonly id: number; readonly write: WriteReport }
  /** A write has come to another state. */
  | { readonly kind: 'write'; readonly write: WriteReport }
  | { readonly kind: 'outbox'; readonly counts: OutboxCounts };

/** Rows of a `chunked` body. The chunks come first, in order, each in a message of its own, and then the outcome. */
export interface Chunk {
  readonly kind: 'chunk';
  readonly to: Addressee;
  /** From 0, without gaps. */
  readonly index: number;
  /** Where the list lies, as in `Chunked`. */
  readonly path: readonly string[];
  /** JSON text of a list. */
  readonly text: string;
}

/** The engine's database is open. */
export interface StorageOpened {
  readonly kind: 'opened';
  readonly name: string;
  /** Milliseconds of the epoch. A database that was deleted is made anew, at another time. */
  readonly madeAt: number;
}

/** The status of an origin has changed. It is `unknown` for an origin that the worker has forgotten. */
export interface OriginReport {
  readonly kind: 'origin';
  readonly origin: string;
  readonly status: OriginStatus | 'unknown';
}

/** A request to that origin needs what the page's provider gives. The page answers by a command. */
export interface CredentialsWanted {
  readonly kind: 'credentials-wanted';
  /** Names the question. */
  readonly question: string;
  readonly origin: string;
  readonly reason: CredentialsReason;
}

/** One tick of a loop. */
export interface Ticked {
  readonly kind: 'tick';
  readonly loop: number;
  readonly outcome: Outcome<SentBody>;
  readonly nextIn: number | null;
  /** When `nextIn` was said, in milliseconds of the epoch: a frozen page hears it late. Missing for just now. */
  readonly at?: number;
  /** For a feed, where the answer stands in its log. */
  readonly entry?: LogOffset;
  /** The answer is that of a catch-up. */
  readonly isCatchUp?: boolean;
}

/** A position in the log of a feed's answers. */
export interface LogOffset {
  /** Names the log. An offset means nothing in another log. */
  readonly log: string;
  /** From 1, without gaps; 0 before the first. */
  readonly offset: number;
}

/** A body as it travels. */
export type SentBody =
  | AnswerBody
  /** The page parses the text, which costs it less than a copy of the parsed body. */
  | JsonText
  | Patches
  | Chunked
  | Unsent;

export interface JsonText extends Named {
  readonly kind: 'json';
  readonly text: string;
}

/** Makes the body from the one that the page has of this loop, with revision `from`. No patches mean no change. */
export interface Patches extends Named {
  readonly kind: 'patches';
  readonly from: Revision;
  readonly patches: readonly Patch[];
}

/** A body that later patches begin from. */
interface Named {
  /**
   * The volatile revision of an answer that is not stored, good as long as the worker instance lives. Missing where the
   * answer has a revision, or where no patch will begin from it.
   */
  readonly as?: Revision;
}

/** A body whose rows have come before, in chunks: to parse all of it at once would block the page. */
export interface Chunked extends Named {
  readonly kind: 'chunked';
  /** Where the list lies, as keys from the root; [] is the root itself. */
  readonly path: readonly string[];
  /** JSON text of the body with `null` in the list's place. */
  readonly envelope: string;
  /** How many chunks make the list. */
  readonly chunks: number;
}

/** Nobody in the page wants the body (`EventInterest.body`), or the page is hidden and gets it when it is shown. */
export interface Unsent {
  readonly kind: 'unsent';
}

/** The call or loop that a delivery is for. */
export type Addressee = { readonly id: number } | { readonly loop: number };

export interface Progress {
  /** Bytes so far, after the content coding was undone. */
  readonly loaded: number;
  /** Bytes in all; null where the server did not say. */
  readonly total: number | null;
}
