import type { HeardWhileHidden, LoopKind, WhileHidden } from '../../shared/pace.ts';
import { actionRules } from './action.ts';
import type { ActionOptions } from './action.ts';
import type { RequestData } from './body.ts';
import { aFlag, oneOf } from './option-checks.ts';
import type { Rules } from './option-checks.ts';

/** The part of a loop that its handle controls. */
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

  /** Ends the loop, and the request that it has out. */
  stop(): void {
    this.#control.stop();
  }

  /** Asks at once and goes on from there, with the action's current mapping and new headers. */
  restart(): void {
    this.#control.restart();
  }
}

/** Each kind of loop has a method that starts it. A class that implements this does not compile if one is missing. */
export type StartsLoops = { readonly [Kind in LoopKind as CamelCase<Kind>]: (...call: never) => Loop };

type CamelCase<Kind extends string> = Kind extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Kind;

/** The options of a poll. */
export interface PollOptions<Action extends string = string> extends ActionOptions {
  /** Milliseconds from one request to the next, at least 100 (default 5000). */
  readonly interval?: number;
  /** True (default): the first request goes at once. False: it goes after one interval. */
  readonly immediately?: boolean;
  /** On a hidden page: ask as always, at most once a minute (default), or not at all. */
  readonly hidden?: WhileHidden;
  /**
   * Which answers make an event: every one (`answer`, default), or only those that differ from the one before
   * (`change`). With `change`, the first answer, failures and the answer after a failure make one too.
   */
  readonly notify?: 'answer' | 'change';
  /** Data sent with every request. */
  readonly data?: RequestData;
  /** How it follows a cursor. */
  readonly cursor?: CursorOptions<Action>;
}

/** The options of a long-poll. Its `timeout` is how long one request may wait for news (default 60 s). */
export interface LongPollOptions<Action extends string = string> extends ActionOptions {
  /** Data sent with every request. */
  readonly data?: RequestData;
  /** How it follows a cursor. */
  readonly cursor?: CursorOptions<Action>;
  /** How many answers a hidden page hears of a state: every one, or at most one a minute (default). */
  readonly hidden?: HeardWhileHidden;
  /** How a request asks the server to hold it (default: only its URL says so). */
  readonly wait?: WaitOptions;
  /** Milliseconds over which new requests are spread after all long-polls were cut at once (default 3,000). */
  readonly spread?: number;
}

/** How a loop tells the server where it goes on, for any server interface. */
export interface CursorOptions<Action extends string = string> {
  /** Where an answer names the next cursor: in a header, at a JSON pointer in its body (RFC 6901), or in its ETag. */
  readonly from: { readonly header: string } | { readonly body: string } | 'etag';
  /** A whole number that is added to a numeric cursor (default 0). */
  readonly plus?: number;
  /** Where a request names its cursor. An existing parameter of that name in the query is replaced. */
  readonly to: { readonly query: string } | { readonly header: string } | 'if-none-match';
  /** The cursor of the first request (default: none). */
  readonly initial?: string | number;
  /** An action that returns the whole state and the first cursor; it is called with the loop's parameters. */
  readonly catchUp?: Action;
  /** `feed` (default): every answer matters. `state`: only the newest answer matters. */
  readonly kind?: 'state' | 'feed';
}

/** How a request asks the server to hold it: by `Prefer: wait=<seconds>` (RFC 7240), or by a query parameter. */
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
