import * as fc from 'fast-check';
import { fewest } from '../model/shrink.ts';
import { cachePlans, cacheSentenceOf } from './plan.ts';
import type { CacheCommand, CachePlan } from './plan.ts';
import { playCache } from './world.ts';

/** How many commands a run has. */
export const CACHE_COMMANDS = 80;

/** A run that was not as the model has it. */
export interface CacheFinding {
  /** Plays it again. */
  readonly seed: number;
  /** The fewest of its commands with which it is still so. */
  readonly commands: readonly CacheCommand[];
  readonly differences: readonly string[];
}

/** What runs have come to. */
export interface CacheTally {
  requests: number;
  /** How many answers were told, by where they came from. */
  readonly told: Map<string, number>;
}

/** Plays the run of that seed; null where all was as the model has it. What happened is added to the tally. */
export async function findInCache(seed: number, tally: CacheTally): Promise<CacheFinding | null> {
  const plan = cachePlanOf(seed);
  const { differences, requests, told } = await playCache(plan);
  tally.requests += requests;
  for (const [from, count] of told) tally.told.set(from, (tally.told.get(from) ?? 0) + count);
  const kind = kindOf(differences);
  if (kind === null) return null;
  const commands = await fewest(
    plan.commands,
    async (fewer) => kind === kindOf((await playCache({ ...plan, commands: fewer })).differences),
  );
  return { seed, commands, differences: (await playCache({ ...plan, commands })).differences };
}

export function cachePlanOf(seed: number): CachePlan {
  const [plan] = fc.sample(fc.noBias(cachePlans(CACHE_COMMANDS)), { seed, numRuns: 1 });
  if (!plan) throw new TypeError('fast-check made no plan');
  return plan;
}

/** A finding in words: its seed, its commands as sentences, and what was not as it should be. */
export function cacheTextOf({ seed, commands, differences }: CacheFinding): string {
  return [
    `run ${seed} (again: MODEL_SEED=${seed} MODEL_RUNS=1 npx vitest run e2e/faults/cache-model):`,
    ...commands.map((command) => `  - ${cacheSentenceOf(command)}`),
    ...differences.map((difference) => `  ! ${difference}`),
  ].join('\n');
}

/** Which rule the first difference breaks, whatever it is about. */
function kindOf([first]: readonly string[]): string | null {
  return first === undefined ? null : first.replaceAll(/\{[^}]*\}|\d+/g, '').replaceAll(/\b[abc]\b/g, '');
}
