import type { Invocation } from '../../shared/invocation.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Pace } from '../../shared/pace.ts';
import type { EventInterest, LoopDeclaration } from '../../shared/protocol.ts';
import type { Link } from './link.ts';
import type { Call } from './notice.ts';
import type { Prepared } from './prepare.ts';
import { longPollCursorOf, pollCursorOf } from './cursor-options.ts';
import type { CursorDeclaration } from './cursor-options.ts';
import type { LongPollOptions, PollOptions } from './loop.ts';
import { longPollRules, pollRules } from './loop.ts';
import { assertRules } from './option-checks.ts';

export interface LoopOrder {
  readonly action: string;
  /** A new loop with the same key, that is the same action and parameters, replaces this one. */
  readonly key: string;
  readonly pace: Pace;
  /** Makes the request anew, at the start and at every restart. */
  readonly prepare: (link: Link) => LoopRequest;
  readonly interest: () => EventInterest;
  /** True where an unchanged answer makes no event. */
  readonly isQuiet: boolean;
}

/** A loop's request, and the options of its cursor and waiting. */
export interface LoopRequest {
  readonly prepared: Prepared;
  readonly call: LoopCall;
  readonly following?: LoopCursor;
  /** The call of its catch-up request. */
  readonly catchUp?: LoopCall | null;
}

export type LoopCursor = Pick<LoopDeclaration, 'cursor' | 'wait' | 'spread'>;

/** When a loop asks first, and whether it asks even though another page's loop asks for the same. */
export type Start = Pick<LoopDeclaration, 'firstIn' | 'restart' | 'replaces'>;

/** The call data that all ticks of a loop share; each tick gets its own id. */
export type LoopCall = Omit<Call, 'id'>;

/**
 * A text that names what a loop asks. Two texts differ wherever the worker keeps two loops (`worker/loops/loops.ts`):
 * the second loop knows nothing of what the first has told.
 */
export function loopQuestion(
  { kind }: LoopDeclaration['pace'],
  invocation: Invocation,
  { cursor, wait }: Pick<LoopDeclaration, 'cursor' | 'wait'>,
): string {
  const { baseUrl, template, documentUrl, headers, body } = invocation;
  // `history.pushState` changes the document's URL, but an absolute URL still leads to the same place.
  const isAbsolute = /^(?:\/|\w+:)/.test(baseUrl || template);
  const asked = {
    ...invocation,
    documentUrl: isAbsolute || documentUrl,
    headers: pageSetHeaders(headers),
    body: 'bytes' in body ? String(new Uint8Array(body.bytes)) : body,
  };
  // The catch-up request uses the loop's own parameters, headers and base URL, so its template is enough.
  return JSON.stringify([kind, asked, { ...cursor, catchUp: cursor?.catchUp?.template }, wait]);
}

/** True where both want the same events from the worker. A loop never changes whether it is quiet. */
export function isSameInterest(one: EventInterest, other: EventInterest): boolean {
  return (
    one.started === other.started &&
    one.sent === other.sent &&
    one.progress === other.progress &&
    one.body === other.body
  );
}

/** @throws RangeError where the interval is too short. */
export function assertInterval(action: string, interval: number): void {
  if (Number.isFinite(interval) && interval >= LIMITS.pollInterval) return;
  throw new RangeError(`Interval of '${action}' must be at least ${LIMITS.pollInterval} ms, got ${interval}`);
}

/** The options of a poll or a long-poll, as they are understood. */
export interface LoopPlan {
  readonly options: PollOptions;
  readonly pace: Pace;
  /** Milliseconds until its first request. */
  readonly firstIn: number;
  readonly following: CursorDeclaration;
}

/** @throws TypeError or RangeError where an option is wrong. */
export function pollPlan(name: string, options: PollOptions): LoopPlan {
  assertRules(`'${name}'`, options, pollRules);
  const { interval = 5_000, immediately = true, hidden = 'slow' } = options;
  assertInterval(name, interval);
  const pace = { kind: 'poll', interval, hidden } as const;
  return { options, pace, firstIn: immediately ? 0 : interval, following: pollCursorOf(name, options) };
}

/** `timeout` is that of the action. @throws TypeError or RangeError where an option is wrong. */
export function longPollPlan(name: string, options: LongPollOptions, timeout: number | undefined): LoopPlan {
  assertRules(`'${name}'`, options, longPollRules);
  const { hidden } = options;
  const patient = { timeout: timeout ?? LIMITS.longPollTimeout, ...options };
  const pace = { kind: 'long-poll', ...(hidden && { hidden }) } as const;
  return { options: patient, pace, firstIn: 0, following: longPollCursorOf(name, options) };
}
