import type { WhileHidden } from '../../shared/protocol.ts';
import type { ActionOptions } from './action.ts';
import type { RequestData } from './body.ts';

/** How a poll runs. */
export interface PollOptions extends ActionOptions {
  /** Milliseconds from one request to the next, at least 100 (default 5000). */
  readonly interval?: number;
  /** Whether the first request goes at once (default true) or after one interval. */
  readonly immediately?: boolean;
  /** While the page is hidden: as always, once a minute at most (default), or not at all. */
  readonly hidden?: WhileHidden;
  /** Goes along with every request. */
  readonly data?: RequestData;
}

/** How a long-poll runs. Its `timeout` is the watchdog: how long one request may wait for news (default 60 s). */
export interface LongPollOptions extends ActionOptions {
  /** Goes along with every request. */
  readonly data?: RequestData;
}
