import type { HeardWhileHidden, LoopKind, WhileHidden } from '../../shared/pace.ts';
import { actionRules } from './action.ts';
import type { ActionOptions } from './action.ts';
import type { RequestData } from './body.ts';
import { aFlag, oneOf } from './option-checks.ts';
import type { Rules } from './option-checks.ts';

/** A loop as its handle controls it. */
export interface LoopControl {
  readonly action: string;
  /** Null for a long-poll. */
  readonly interval: number | null;
  stop(): void;
  restart(): void;
  /** @throws RangeError where the interval is too short. */
  setInterval(interval: number): void;
}

/** A running poll or long-poll, as `poll` and `longPoll` return it. */
export class Loop {
  readonly action: string;
  readonly #control: LoopControl;

  constructor(control: LoopControl) {
    this.action = control.action;
    this.#control = control;
  }

  /** Milliseconds from one request of a poll to the next; null for a long-poll. */
  get interval(): number | null {
    return this.#control.interval;
  }

  /** @throws RangeError under 100 ms; TypeError for a long-poll, whose pace is the server's. */
  set interval(interval: number) {
    if (this.interval === null) throw new TypeError(`The long-poll '${this.action}' has no interval to set`);
    this.#control.setInterval(interval);
  }

  /** Ends the loop and the request that it has out. */
  stop(): void {
    this.#control.stop();
  }

  /** Asks at once and goes on from there, with the action as it is mapped now and its headers made anew. */
  restart(): void {
    this.#control.restart();
  }
}

/** A method for each kind of loop starts it. A kind without one does not compile, where a class implements this. */
export type StartsLoops = { readonly [Kind in LoopKind as CamelCase<Kind>]: (...call: never) => Loop };

type CamelCase<Kind extends string> = Kind extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Kind;

/** How a poll runs. */
export interface PollOptions<Action extends string = string> extends ActionOptions {
  /** Milliseconds from one request to the next, at least 100 (default 5000). */
  readonly interval?: number;
  /** True where the first request goes at once (default), false where it goes after one interval. */
  readonly immediately?: boolean;
  /** While the page is hidden: as always, once a minute at most (default), or not at all. */
  readonly hidden?: WhileHidden;
  /**
   * What makes an event: every answer (`answer`, the default), or those alone that are not what the one before was
   * (`change`), with the first, failures and what follows them.
   */
  readonly notify?: 'answer' | 'change';
  /** Goes along with every request. */
  readonly data?: RequestData;
  /** How it keeps its place in a feed. */
  readonly cursor?: CursorOptions<Action>;
}

/** How a long-poll runs. Its `timeout` is the watchdog: how long one request may wait for news (default 60 s). */
export interface LongPollOptions<Action extends string = string> extends ActionOptions {
  /** Goes along with every request. */
  readonly data?: RequestData;
  /** How it keeps its place in a feed. */
  readonly cursor?: CursorOptions<Action>;
  /** What a hidden page hears of a state: every answer, or one a minute at most (default). */
  readonly hidden?: HeardWhileHidden;
  /** How it asks the server to hold its requests (default: the URL says it). */
  readonly wait?: WaitOptions;
  /** Milliseconds over which it asks again after all long-polls were cut at once (default 3,000). */
  readonly spread?: number;
}

/** How a loop keeps its place in what a server tells, whatever the server's interface. */
export interface CursorOptions<Action extends string = string> {
  /** Where an answer names the next place: a header, a JSON pointer into its body (RFC 6901), its ETag. */
  readonly from: { readonly header: string } | { readonly body: string } | 'etag';
  /** A whole number added to a place that is one (default 0). */
  readonly plus?: number;
  /** Where a request names its place. A parameter of the query that is there already is replaced. */
  readonly to: { readonly query: string } | { readonly header: string } | 'if-none-match';
  /** The place of the first request (default: it names none). */
  readonly initial?: string | number;
  /** An action that gives the whole state and the first place, called with the loop's parameters. */
  readonly catchUp?: Action;
  /** `feed` (default): every answer matters. `state`: the newest is all that does. */
  readonly kind?: 'state' | 'feed';
}

/** How a request asks the server to hold it: `Prefer: wait=<seconds>` (RFC 7240), or a parameter of its query. */
export type WaitOptions =
  { readonly prefer: number } | { readonly query: string; readonly value: string | number };

export function pollRules(): Rules<PollOptions> {
  return {
    ...loopRules(),
    interval: null,
    immediately: aFlag(),
    hidden: oneOf('continue', 'slow', 'pause'),
    notify: oneOf('answer', 'change'),
  };
}

export function longPollRules(): Rules<LongPollOptions> {
  return { ...loopRules(), hidden: oneOf('continue', 'slow'), wait: null, spread: null };
}

function loopRules(): Rules<ActionOptions & Pick<PollOptions, 'data' | 'cursor'>> {
  return { ...actionRules(), data: null, cursor: null };
}
