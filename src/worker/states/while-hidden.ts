import { HIDDEN_PERIOD } from '../../shared/limits.ts';
import type { Pace } from '../../shared/protocol.ts';

/**
 * When a loop asks whose page is hidden, given when it would ask otherwise: at that time, later, or not at all. A
 * long-poll goes on: the server holds it, and it costs nothing.
 */
export function dueWhileHidden(pace: Pace, plannedAt: number, lastAskedAt: number | null): number {
  if (pace.kind === 'long-poll' || pace.hidden === 'continue') return plannedAt;
  if (pace.hidden === 'pause') return Infinity;
  return lastAskedAt === null ? plannedAt : Math.max(plannedAt, lastAskedAt + HIDDEN_PERIOD);
}

/**
 * Whether a hidden page is told an answer that was asked for so many milliseconds after the last that it was told, since
 * other pages have the loop ask more often: it hears what it would if it were alone. A long-poll asks on, but nobody sees
 * what it brings in quick succession.
 */
export function hearsWhileHidden(pace: Pace, since: number): boolean {
  const { hidden = 'slow' } = pace;
  return hidden === 'continue' || (hidden === 'slow' && since >= HIDDEN_PERIOD);
}

/** Milliseconds from one request to the next of a loop whose page is hidden, given what they are otherwise. */
export function periodWhileHidden(pace: Pace, period: number): number {
  if (pace.kind === 'long-poll' || pace.hidden === 'continue') return period;
  return pace.hidden === 'pause' ? Infinity : Math.max(period, HIDDEN_PERIOD);
}
