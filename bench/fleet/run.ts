import { excesses, figuresOf } from './figures.ts';
import type { Figures } from './figures.ts';
import { simulate } from './fleet.ts';
import type { Course } from './fleet.ts';
import { OFFSTAGE } from './offstage.ts';
import { PEERS } from './peers.ts';
import { periodOf } from './rule.ts';
import { find } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** One rule in one scenario; plain, so that another thread may be told to run it. */
export interface Task {
  readonly scenario: string;
  readonly rule: string;
  readonly clients: number;
  readonly seed: number;
}

export interface Report extends Task, Figures {
  /** What is over the budget, in words; only a crowd is held to it. */
  readonly excesses: readonly string[];
  /** What it took to simulate. */
  readonly seconds: number;
}

export interface Run {
  readonly report: Report;
  /** The load of the plot, in parts of the steady one. */
  readonly outline: readonly number[];
}

/** Steps of a plot's x axis. */
const STEPS = 300;

/** Fewer clients than these are no crowd: their chance, not the rule, makes the highest second. */
const CROWD = 500_000;

/** The rules that live through a scenario. Only the one that is shipped has a budget. */
export function rulesFor({ peers }: Scenario): string[] {
  const others = PEERS.filter(({ name }) => peers === 'all' || peers === name);
  return [OFFSTAGE, ...others].map(({ name }) => name);
}

/** @throws RangeError where there is no such scenario or rule. */
export function perform(task: Task): Run {
  const scenario = find(task.scenario);
  const candidate = [OFFSTAGE, ...PEERS].find(({ name }) => name === task.rule);
  if (!candidate) throw new RangeError(`There is no rule ${task.rule}`);
  const began = performance.now();
  const course = simulate(scenario, candidate, task.clients, task.seed);
  const figures = figuresOf(scenario, course);
  const isJudged = candidate === OFFSTAGE && task.clients >= CROWD;
  const report = {
    ...task,
    ...figures,
    excesses: isJudged ? excesses(figures, scenario.budget) : [],
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
  return { report, outline: outlineOf(scenario, course) };
}

/** From a period before the blow to five after the recovery: what comes then is more of the same. */
export function windowOf(scenario: Scenario): { readonly before: number; readonly after: number } {
  const period = periodOf(scenario.pace);
  return { before: period, after: scenario.blow.lasts + 5 * period };
}

function outlineOf(scenario: Scenario, { load, steady, struckAt }: Course): number[] {
  const { before, after } = windowOf(scenario);
  return load
    .outline(struckAt - before, struckAt + after, STEPS)
    .map((requests) => Math.round((100 * requests) / steady) / 100);
}
