import type { LogOffset } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Again, EventInterest } from '../../shared/protocol.ts';
import type { ReadOutcome } from './read-body.ts';

/**
 * The pages that follow one loop, and how they are told what it brings: of a state the newest answer (`states`), of a feed
 * every answer (`feeds`). A loop chooses one of the two when it is made, and does not ask for its kind again.
 */
export interface Audience {
  /** Reads what an earlier worker instance has left. */
  begin(): Promise<void>;
  /** A page follows the loop: a feed from `position`, which is null where the page has none. */
  join(subscriber: Subscriber, position: LogOffset | null): void;
  leave(subscriber: Subscriber): void;
  /** Tells all pages what came of a request, each as much as is for it now. */
  publish(reply: Reply): void;
  /**
   * Tells one page what it has missed. `again` is what it has heard of the loop, null where that does not count. Never
   * rejects.
   */
  catchUp(subscriber: Subscriber, again: Again | null): Promise<void>;
  /** The loop goes on after a failure of an earlier worker instance; null where that does not matter. */
  resume(failure: Failure | null): void;
  /** All is well, though the last answer may have brought nothing new. */
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
  /** The loop's number there. */
  readonly number: number;
  pace: Pace;
  interest: EventInterest;
  hidden: boolean;
  /** Whether it has given up the request that is out, whose answer is then not told it. */
  abstains: boolean;
  /** Whether it has heard of the last answer without its body. */
  lacksBody: boolean;
}

/** The part of it that decides how much of an answer the page is told. */
export interface DeliveryState {
  readonly pace: Pace;
  readonly hidden: boolean;
  /** The revision that the page has, as far as it was told. */
  has: Revision | null;
  /** When the request was made whose answer it was told last; null before the first, -Infinity in an earlier life. */
  heardAt: number | null;
  /** What it was not told since, while it is hidden. */
  withheld: Withheld;
  readonly interest: EventInterest;
  /** The state that it was told last; null where that was a failure, is stale, or goes by nothing. */
  fresh: Revision | null;
}

/** What a page has not been told of a state: nothing, no news, or news of which it knows only that it is there. */
export type Withheld = 'nothing' | 'something' | 'news';

/** What came of one request of a loop. */
export interface Reply {
  readonly outcome: ReadOutcome;
  /** Whether the loop's cursor has moved: such an answer is no sign of a server that does not hold requests. */
  readonly advanced: boolean;
  /** Whether it is the answer to the request to catch up. */
  readonly isCatchUp: boolean;
  /** The number of the answer in the feed's log; null where it is not in it. */
  readonly entry: number | null;
}

/** The requests for the state that single pages have made for themselves. */
export interface OwnCatchUps {
  /** Has a page be told the state, and `done` called then; false where there is none to be asked for. */
  start(subscriber: Subscriber, done: () => void): boolean;
  /** The page has the state. */
  end(subscriber: Subscriber): void;
}
