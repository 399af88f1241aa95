import { unreachable } from '../../shared/unreachable.ts';
import { nextTick } from './schedule.ts';
import { FRESH, planFailure, verdictOf } from './plan.ts';
import type { Plan, LoopProgress, Tick } from './plan.ts';

/** After one tick of a poll. Ticks keep to the grid of the interval: a slow answer skips some, it shifts none. */
export function planPoll(progress: LoopProgress, interval: number, tick: Tick, random: number): Plan {
  const dueAt = nextTick(tick.dueAt, interval, tick.endedAt);
  const reading = verdictOf(tick.outcome);
  switch (reading) {
    case 'fresh':
    case 'nothing-new':
      return { progress: FRESH, dueAt, tell: true };
    case 'aborted':
      return { progress, dueAt, tell: true };
    case 'cut-off':
    case 'failed':
      return planFailure(progress, interval, tick, reading, random);
    default:
      return unreachable(reading);
  }
}
