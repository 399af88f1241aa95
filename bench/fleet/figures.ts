import type { Course } from './fleet.ts';
import type { Freshness } from './freshness.ts';
import { periodOf } from './rule.ts';
import type { Budget, Scenario } from './scenario.ts';

/** From when on the mean of an outage counts: until then the clients find out. */
const FIRST_MINUTE = 60_000;

/** What a course comes to. Loads are in parts of the steady one. */
export interface Figures {
  /** Requests a second when all is well. */
  readonly steady: number;
  /** The busiest second from the blow on. */
  readonly peak: number;
  /** Seconds from the blow to it. */
  readonly peakAt: number;
  /** The mean of an outage from its second minute on; null where it was over by then. */
  readonly mean: number | null;
  /** Periods from the recovery until 99 % of the clients that were struck had a fresh answer; null: not in the time. */
  readonly fresh: number | null;
  /**
   * Seconds from the recovery until half of those who had noticed had asked again and were not refused; null: not in the
   * time, or nobody had noticed.
   */
  readonly asked: number | null;
  /** Until they had the answer. */
  readonly answered: number | null;
  /** Seconds that the unluckiest request waited in line. */
  readonly longestWait: number;
  /** Requests that were answered by a 503. */
  readonly refused: number;
}

export function figuresOf(scenario: Scenario, course: Course): Figures {
  const { steady, struckAt, recoveredAt, load, server } = course;
  const peak = load.peak(struckAt, course.end);
  const from = struckAt + FIRST_MINUTE;
  const isOutage = scenario.blow.kind === 'outage' && recoveredAt > from;
  // Where all start anew nobody is there to notice.
  const halfOf = (those: Freshness): number | null =>
    scenario.blow.kind === 'reload' ? null : finite(those.reachedBy(0.5) - recoveredAt);
  const freshAt = course.freshness.reachedBy(0.99);
  return {
    steady: round(steady),
    peak: round(peak.requests / steady),
    peakAt: round((peak.at - struckAt) / 1_000),
    mean: isOutage ? round(load.mean(from, recoveredAt) / steady) : null,
    fresh: freshAt === Infinity ? null : round((freshAt - recoveredAt) / periodOf(scenario.pace)),
    asked: halfOf(course.askedAgain),
    answered: halfOf(course.answeredAgain),
    longestWait: round(server.longestWait / 1_000),
    refused: server.refused,
  };
}

/** What the figures have over the budget, in words. */
export function excesses(figures: Figures, budget: Budget): string[] {
  const { peak, mean, asked, answered, fresh } = figures;
  return [
    ...excess('peak', peak, budget.peak),
    ...excess('mean', mean ?? 0, budget.mean),
    ...excess('asked', asked ?? Infinity, budget.asked),
    ...excess('answered', answered ?? Infinity, budget.answered),
    ...excess('fresh', fresh ?? Infinity, budget.fresh),
  ];
}

function excess(name: string, value: number, most: number = Infinity): string[] {
  return value > most ? [`${name} ${value}, not ${most}`] : [];
}

function finite(milliseconds: number): number | null {
  return Number.isFinite(milliseconds) ? round(milliseconds / 1_000) : null;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
