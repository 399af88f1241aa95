import { actionRules } from './action.ts';
import type { ActionOptions } from './action.ts';
import type { LongPollOptions, PollOptions } from './loop-options.ts';
import { aFlag, aSignal, oneOf } from './option-checks.ts';
import type { Rules } from './option-checks.ts';
import type { InvokeOptions } from './prepare.ts';

export function callRules(): Rules<InvokeOptions> {
  return { ...actionRules(), signal: aSignal() };
}

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
