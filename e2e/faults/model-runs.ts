import { COMMANDS, find } from './model/run.ts';
import type { Model, Tally } from './model/run.ts';
import { pagesModel } from './model/world.ts';
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
  run: (bench) =>
    playModel(pagesModel, bench, ({ outcomes }) => [
      { name: 'calls', value: [...outcomes.values()].reduce((sum, count) => sum + count, 0) },
    ]),
};

/** Plays rounds of a model by chance, and prints what differs. `more` are the figures beside those of every model. */
export async function playModel<Command>(
  model: Model<Command>,
  { rounds, random }: Bench,
  more: (tally: Tally) => Result['figures'],
): Promise<Result> {
  const tally: Tally = { requests: 0, outcomes: new Map() };
  let differing = 0;
  for (let nth = 0; nth < rounds; nth += 1) {
    const finding = await find(model, random.between(0, SEEDS), tally);
    if (finding === null) continue;
    differing += 1;
    console.error(finding);
  }
  return {
    rounds,
    lost: 0,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'runs that differ', value: differing, atMost: 0 },
      { name: 'commands', value: rounds * COMMANDS },
      { name: 'requests', value: tally.requests, atLeast: rounds },
      ...more(tally),
    ],
  };
}
