import { WORTH_A_REST } from '../../shared/limits.ts';
import type { Pace } from '../../shared/protocol.ts';

/**
 * Milliseconds until the worker is needed for a loop that is due in so many: 0 where it is needed all the time, null
 * where the loop pauses. What is overdue needs it until the answer is there.
 */
export function neededIn(pace: Pace, hidden: boolean, dueIn: number): number | null {
  if (pace.kind === 'long-poll') return 0;
  if (hidden && pace.hidden === 'pause') return null;
  const interval = hidden && pace.hidden === 'slow' ? Math.max(pace.interval, WORTH_A_REST) : pace.interval;
  return interval < WORTH_A_REST ? 0 : Math.max(0, dueIn);
}
