import type { Answered } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { planFailure, read } from './plan.ts';
import type { Plan, Progress, Reading, Tick } from './plan.ts';

/** The period that the back-off of a long-poll counts with. */
export const LONG_POLL_PERIOD = 20_000;

/** A server that answers within this time does not hold the request. */
const IMMEDIATE = 100;

/** So many immediate answers in a row are a runaway; fewer are a burst of news. */
const RUNAWAY = 30;

/** The first pause of a runaway; it doubles with every further immediate answer. */
const FIRST_PAUSE = 1_000;

/** A 408 or 504 that took as long as this is the end of a held request; a quicker one is a failure. */
const HELD = 1_000;

/**
 * After one answer of a long-poll: ask again at once, unless the server fails or answers without ever holding the
 * request. A runaway slows down instead of stopping, and is over with the first answer that took its time.
 */
export function planLongPoll(progress: Progress, tick: Tick, random: number): Plan {
  const reading = readLongPoll(tick);
  switch (reading) {
    case 'fresh':
    case 'nothing-new':
      return goOn(progress, tick, reading);
    case 'aborted':
      return { progress, dueAt: tick.endedAt, tell: true };
    case 'cut-off':
    case 'failed':
      return planFailure(progress, LONG_POLL_PERIOD, tick, reading, random);
    default:
      return unreachable(reading);
  }
}

/**
 * A 304, the watchdog and a server's own time-out mean that nothing has happened. A time that was over before anything
 * was sent is no watchdog's: a hook that hangs has to be heard of.
 */
function readLongPoll(tick: Tick): Reading {
  const { outcome } = tick;
  if (outcome.kind === 'answered') return isNotModified(outcome) ? 'nothing-new' : read(outcome);
  return isTimeout(tick) ? 'nothing-new' : read(outcome);
}

/** The validators of a 304 were those of the cache, or the page's own. */
function isNotModified({ confirmed, answer }: Answered): boolean {
  return confirmed || answer.status === 304;
}

function isTimeout({ outcome, askedAt, endedAt }: Tick): boolean {
  if (outcome.kind === 'answered') return false;
  const { failure, request } = outcome;
  if (failure.code === 'timeout') return request !== null;
  return failure.code === 'http' && [408, 504].includes(failure.status) && endedAt - askedAt >= HELD;
}

function goOn(progress: Progress, tick: Tick, reading: 'fresh' | 'nothing-new'): Plan {
  const immediate = tick.endedAt - tick.askedAt < IMMEDIATE ? progress.immediate + 1 : 0;
  return {
    progress: { failures: 0, cutOff: false, immediate },
    dueAt: tick.endedAt + pause(immediate),
    tell: reading === 'fresh',
  };
}

function pause(immediate: number): number {
  return immediate < RUNAWAY ? 0 : Math.min(LONG_POLL_PERIOD, FIRST_PAUSE * 2 ** (immediate - RUNAWAY));
}
