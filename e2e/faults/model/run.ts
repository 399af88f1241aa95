import * as fc from 'fast-check';
import { fewest } from './shrink.ts';

/** How many commands a run has. */
export const COMMANDS = 80;

/** A run: its commands, and the seed of all other chance in it. */
export interface Plan<Command> {
  readonly seed: number;
  readonly commands: readonly Command[];
}

/** What came of a plan. */
export interface Played {
  /** What was not as the model has it. */
  readonly differences: readonly string[];
  /** How many requests the server saw. */
  readonly requests: number;
  /** What came of each call. */
  readonly outcomes: readonly string[];
}

/** A world that commands are done to, and that says what is not as its model has it. */
export interface Model<Command> {
  /** Its folder in e2e/faults, whose test plays a seed again. */
  readonly folder: string;
  readonly plans: (length: number) => fc.Arbitrary<Plan<Command>>;
  readonly sentenceOf: (command: Command) => string;
  /** Plays a plan to its end, or to the first difference. */
  readonly play: (plan: Plan<Command>) => Promise<Played>;
}

/** What runs have come to. */
export interface Tally {
  /** Requests that the server saw. */
  requests: number;
  /** How often calls had each outcome. */
  readonly outcomes: Map<string, number>;
}

/**
 * Plays the run of that seed. What was not as the model has it is told in words: the seed, the fewest commands with which
 * it is still so, and the differences; null where all was. What happened is added to the tally.
 */
export async function find<Command>(
  model: Model<Command>,
  seed: number,
  tally: Tally,
): Promise<string | null> {
  const plan = planOf(model, seed);
  const { differences, requests, outcomes } = await model.play(plan);
  tally.requests += requests;
  for (const outcome of outcomes) tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
  const kind = kindOf(differences);
  if (kind === null) return null;
  const differencesOf = async (commands: readonly Command[]): Promise<readonly string[]> =>
    (await model.play({ ...plan, commands })).differences;
  const commands = await fewest(plan.commands, async (fewer) => kind === kindOf(await differencesOf(fewer)));
  return [
    `run ${seed} (again: MODEL_SEED=${seed} MODEL_RUNS=1 npx vitest run e2e/faults/${model.folder}):`,
    ...commands.map((command) => `  - ${model.sentenceOf(command)}`),
    ...(await differencesOf(commands)).map((difference) => `  ! ${difference}`),
  ].join('\n');
}

export function planOf<Command>(model: Model<Command>, seed: number): Plan<Command> {
  const [plan] = fc.sample(fc.noBias(model.plans(COMMANDS)), { seed, numRuns: 1 });
  if (!plan) throw new TypeError('fast-check made no plan');
  return plan;
}

/** What the first difference is, whoever and whenever it is. */
function kindOf([first]: readonly string[]): string | null {
  return first?.replaceAll(/\{[^}]*\}|\d+|[A-Z]{3,}|\b[abc]\b/g, '') ?? null;
}
