import type { Course } from './fleet.ts';
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
  const freshAt = course.freshness.reachedBy(0.99);
  return {
    steady: round(steady),
    peak: round(peak.requests / steady),
    peakAt: round((peak.at - struckAt) / 1_000),
    mean: isOutage ? round(load.mean(from, recoveredAt) / steady) : null,
    fresh: freshAt === Infinity ? null : round((freshAt - recoveredAt) / periodOf(scenario.pace)),
    longestWait: round(server.longestWait / 1_000),
    refused: server.refused,
  };
}

/** What the figures have over the budget, in words. */
export function excesses(figures: Figures, budget: Budget): string[] {
  const { peak, mean, fresh } = figures;
  return [
    ...excess('peak', peak, budget.peak),
    ...excess('mean', mean ?? 0, budget.mean),
    ...excess('fresh', fresh ?? Infinity, budget.fresh),
  ];
}

function excess(name: string, value: number, most: number = Infinity): string[] {
  return value > most ? [`${name} ${value}, not ${most}`] : [];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
