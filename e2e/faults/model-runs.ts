import { COMMANDS, find, textOf } from './model/run.ts';
import type { Tally } from './model/run.ts';
import type { Bench, Result, Row } from './row.ts';

/** Seeds of runs are below that. */
const SEEDS = 2 ** 31;

/**
 * Three pages, one worker, its disk and a server, in plain Node, held against a model of what each page wants and has
 * heard. A round is a run of 80 commands; what is not as the model has it is printed with its seed.
 */
export const modelRuns: Row = {
  number: 46,
  name: 'model-runs',
  rounds: { short: 20, long: 20_000 },
  // `npm test` plays 200 runs of its own, always the same ones: chance is for this row, on demand.
  slow: true,
  run,
};

async function run({ rounds, random }: Bench): Promise<Result> {
  const tally: Tally = { requests: 0, outcomes: new Map() };
  let differing = 0;
  for (let nth = 0; nth < rounds; nth += 1) {
    const finding = await find(random.between(0, SEEDS), tally);
    if (!finding) continue;
    differing += 1;
    console.error(textOf(finding));
  }
  const calls = [...tally.outcomes.values()].reduce((sum, count) => sum + count, 0);
  return {
    rounds,
    lost: 0,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'runs that differ', value: differing, atMost: 0 },
      { name: 'commands', value: rounds * COMMANDS },
      { name: 'requests', value: tally.requests, atLeast: rounds },
      { name: 'calls', value: calls },
    ],
  };
}
