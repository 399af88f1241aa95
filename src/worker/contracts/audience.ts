import type { LogOffset } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Again, EventInterest } from '../../shared/protocol.ts';
import type { ToldEarly } from './engine-request.ts';
import type { ReadOutcome } from './read-body.ts';

/**
 * The pages that follow one loop, and how they are told what it brings: the newest answer of a state (`states`), or
 * every answer of a feed (`feeds`). A loop chooses one of the two when it is made, and does not ask for its kind again.
 */
export interface Audience {
  /** Reads what an earlier worker instance has left. */
  begin(): Promise<void>;
  /** A page follows the loop. `position` is where it is in a feed; null where it has none. */
  join(subscriber: Subscriber, position: LogOffset | null): void;
  leave(subscriber: Subscriber): void;
  /** Tells all pages the result of a request, each as much as is for it now. */
  publish(reply: Reply): void;
  /** Tells one page what it has missed. `again` is what it has heard; null where that does not count. Never rejects. */
  catchUp(subscriber: Subscriber, again: Again | null): Promise<void>;
  /** The loop goes on after a failure of an earlier worker instance; null where that does not matter. */
  resume(failure: Failure | null): void;
  /** The failures are over, though the last answer may have brought nothing new. */
  recover(): void;
  /** The server no longer knows the loop's cursor, so the loop starts afresh. */
  reset(failure: Failure): void;
  /** More may be stored of the loop than was known. */
  renew(): void;
  /** The log offset up to which all pages have acknowledged the answers; 0 where there is no log. */
  readonly acknowledged: number;
}

/** One page's part in a loop. */
export interface Subscriber extends DeliveryState {
  /** Names one session of one page. */
  readonly page: string;
  /** The number that the loop has there. */
  readonly number: number;
  pace: Pace;
  interest: EventInterest;
  hidden: boolean;
  /** True where the page has given up the request that is out: it is not told the answer. */
  abstains: boolean;
  /** True where the page has heard of the last answer without its body. */
  lacksBody: boolean;
  /** What the page was told of an answer while that was read; null for nothing. */
  told: ToldEarly | null;
}

/** The part that decides how much of an answer the page is told. */
export interface DeliveryState {
  readonly pace: Pace;
  readonly hidden: boolean;
  /** The revision that the page has, as far as it was told. */
  has: Revision | null;
  /** When the request for its last answer was made; null before the first, -Infinity in an earlier worker instance. */
  heardAt: number | null;
  /** What a hidden page has not been told. */
  withheld: Withheld;
  readonly interest: EventInterest;
  /** The revision that it was told last; null where that was a failure, is stale, or has no revision. */
  fresh: Revision | null;
}

/** What a page has missed of a state: nothing, answers without news, or news of which it knows no more than that. */
export type Withheld = 'nothing' | 'something' | 'news';

/** The result of one request of a loop. */
export interface Reply {
  readonly outcome: ReadOutcome;
  /** True where the answer has moved the loop's cursor: such an answer does not count towards a runaway. */
  readonly advanced: boolean;
  /** True for the answer to a catch-up. */
  readonly isCatchUp: boolean;
  /** The offset of the answer in the feed's log; null where it is not in it. */
  readonly entry: number | null;
}

/** Requests for the state, each for one page. */
export interface OwnCatchUps {
  /** Asks for the state for a page, then calls `done`; false where there is no such request. */
  start(subscriber: Subscriber, done: () => void): boolean;
  /** The page has the state. */
  end(subscriber: Subscriber): void;
}
