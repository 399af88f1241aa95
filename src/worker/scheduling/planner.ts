import { isTimedOut } from '../../shared/failure.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { nextTick, afterCut } from './back-off.ts';
import { FRESH, planFailure, verdictOf, floorOf, planAfter } from './plan.ts';
import type { Plan, LoopProgress, Tick, Verdict } from './plan.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import { FIRST_PAUSE, HELD, IMMEDIATE, LONG_POLL_PERIOD, RUNAWAY } from '../contracts/rule.ts';

export interface Planner {
  /** Milliseconds that the loop's waits are computed from. */
  readonly period: number;
  /** After a tick; `random` is from 0 up to 1. */
  plan(progress: LoopProgress, tick: Tick, random: number): Plan;
}

/** `spread`: milliseconds over which held requests come back after all of them were cut. */
export function plannerFor(pace: Pace, spread: number): Planner {
  const period = periodOf(pace);
  switch (pace.kind) {
    case 'poll':
      return { period, plan: (progress, tick, random) => planPoll(progress, period, tick, random) };
    case 'long-poll':
      return { period, plan: (progress, tick, random) => planLongPoll(progress, tick, random, spread) };
    default:
      return unreachable(pace);
  }
}

/** Milliseconds from one request of a loop to the next; for a held one, what its waits are computed from. */
export function periodOf(pace: Pace): number {
  const { isHeld, interval } = traitsOf(pace);
  return isHeld ? LONG_POLL_PERIOD : interval;
}

/** Plans after one tick of a poll. Ticks keep to the grid of the interval: a slow answer skips some, it shifts none. */
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

/**
 * Plans after one answer of a long-poll: ask again at once, unless the server fails or never holds the request. A
 * runaway slows down instead of stopping, and is over with the first answer that took its time.
 */
export function planLongPoll(progress: LoopProgress, tick: Tick, random: number, spread: number): Plan {
  const reading = readLongPoll(tick);
  switch (reading) {
    case 'fresh':
    case 'nothing-new':
      return goOn(progress, tick, reading);
    case 'aborted':
      return { progress, dueAt: tick.endedAt, tell: true };
    case 'cut-off':
    case 'failed':
      return isCut(progress, tick, reading)
        ? planAfter(afterCut(spread, floorOf(tick), random), progress, tick, reading)
        : planFailure(progress, LONG_POLL_PERIOD, tick, reading, random, spread);
    default:
      return unreachable(reading);
  }
}

/**
 * A 304, the watchdog and a server's own time-out mean that nothing has happened. A time-out before anything was sent
 * is not the watchdog's: a hook that hangs has to be heard of.
 */
function readLongPoll(tick: Tick): Verdict {
  const { outcome } = tick;
  if (outcome.kind === 'answered') return isNotModified(outcome) ? 'nothing-new' : verdictOf(outcome);
  return isTimeout(tick) ? 'nothing-new' : verdictOf(outcome);
}

/** The validators of a 304 are those of the cache or of the page. */
function isNotModified({ confirmed, answer }: Answered<unknown>): boolean {
  return confirmed || answer.status === 304;
}

function isTimeout(tick: Tick): boolean {
  const { outcome } = tick;
  if (outcome.kind === 'answered') return false;
  const { failure, request } = outcome;
  if (failure.code === 'timeout') return request !== null;
  return isTimedOut(failure) && wasHeld(tick);
}

/**
 * True where the server held the request and then dropped it, as one that restarts does to all its clients at once.
 * Only the first in a row: a network that swallows requests lets each of them take its time, and is backed off from.
 */
function isCut({ failures }: LoopProgress, tick: Tick, reading: 'cut-off' | 'failed'): boolean {
  if (failures > 0 || !wasHeld(tick)) return false;
  return reading === 'cut-off' || isGatewayFailure(tick.outcome);
}

/** A gateway says that its server is gone. A 504 to a held request is the gateway's own time-out, and no failure. */
function isGatewayFailure(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered' || outcome.failure.code !== 'http') return false;
  return [502, 503].includes(outcome.failure.status);
}

function wasHeld({ askedAt, endedAt }: Tick): boolean {
  return endedAt - askedAt >= HELD;
}

function goOn(progress: LoopProgress, tick: Tick, reading: 'fresh' | 'nothing-new'): Plan {
  const isIdle = !tick.advanced && tick.endedAt - tick.askedAt < IMMEDIATE;
  const immediate = isIdle ? progress.immediate + 1 : 0;
  return {
    progress: { failures: 0, cutOff: false, immediate },
    dueAt: tick.endedAt + pause(immediate),
    tell: reading === 'fresh' || (progress.failures > 0 && isConfirmed(tick.outcome)),
  };
}

/** A page that was told of a failure has to be told that all is as before it. */
function isConfirmed(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'answered' && outcome.confirmed;
}

function pause(immediate: number): number {
  return immediate < RUNAWAY ? 0 : Math.min(LONG_POLL_PERIOD, FIRST_PAUSE * 2 ** (immediate - RUNAWAY));
}
