import { LIMITS } from '../../shared/limits.ts';
import type { Pace } from '../../shared/pace.ts';
import { longPollCursorOf, pollCursorOf } from './cursor-options.ts';
import type { CursorDeclaration } from './cursor-options.ts';
import type { LongPollOptions, PollOptions } from './loop.ts';
import { longPollRules, pollRules } from './loop.ts';
import { assertInterval } from './loop-order.ts';
import { assertRules } from './option-checks.ts';

/** What the options of a poll or a long-poll mean. */
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
