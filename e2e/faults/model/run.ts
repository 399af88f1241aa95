import * as fc from 'fast-check';
import { plans, sentenceOf } from './commands.ts';
import type { ModelCommand, Plan } from './commands.ts';
import { fewest } from './shrink.ts';
import { play } from './world.ts';

/** How many commands a run has. */
export const COMMANDS = 80;

/** A run that was not as the model has it. */
export interface Finding {
  /** Plays it again. */
  readonly seed: number;
  /** The fewest of its commands with which it is still so. */
  readonly commands: readonly ModelCommand[];
  readonly differences: readonly string[];
}

/** What runs have come to. */
export interface Tally {
  /** Requests that the server saw. */
  requests: number;
  /** How often calls settled, by outcome. */
  readonly outcomes: Map<string, number>;
}

/** Plays the run of that seed; null where all was as the model has it. What happened is added to the tally. */
export async function find(seed: number, tally?: Tally): Promise<Finding | null> {
  const plan = planOf(seed);
  const { differences, requests, outcomes } = await play(plan);
  if (tally) {
    tally.requests += requests;
    for (const outcome of outcomes) tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
  }
  const kind = kindOf(differences);
  if (kind === null) return null;
  const commands = await fewest(
    plan.commands,
    async (fewer) => kind === kindOf(await differencesOf(plan, fewer)),
  );
  return { seed, commands, differences: await differencesOf(plan, commands) };
}

export function planOf(seed: number): Plan {
  const [plan] = fc.sample(fc.noBias(plans(COMMANDS)), { seed, numRuns: 1 });
  if (!plan) throw new TypeError('fast-check made no plan');
  return plan;
}

/** A finding in words: its seed, its commands as sentences, and what was not as it should be. */
export function textOf({ seed, commands, differences }: Finding): string {
  const steps = commands.map((command) => `  - ${sentenceOf(command)}`);
  return [
    `run ${seed} (again: MODEL_SEED=${seed} MODEL_RUNS=1 npx vitest run e2e/faults/model):`,
    ...steps,
    ...differences.map((difference) => `  ! ${difference}`),
  ].join('\n');
}

async function differencesOf(plan: Plan, commands: readonly ModelCommand[]): Promise<readonly string[]> {
  return (await play({ ...plan, commands })).differences;
}

/** What the first difference is, whoever and whenever it is. */
function kindOf([first]: readonly string[]): string | null {
  return first?.replaceAll(/\d+/g, '').replaceAll(/[A-Z]{3,}/g, '') ?? null;
}
