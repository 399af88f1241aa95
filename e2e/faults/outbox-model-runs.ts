import { playModel } from './model-runs.ts';
import { outboxModel } from './outbox-model/world.ts';
import type { Row } from './row.ts';

/**
 * Two tabs of users who come and go and write, one worker that the browser ends, its disk, and a server that refuses, fails and
 * loses answers, in plain Node, held against a model of what waits. A round is a run of 80 commands; what is not as the model has it
 * is printed with its seed.
 */
export const outboxModelRuns: Row = {
  number: 49,
  name: 'outbox-model-runs',
  rounds: { short: 20, long: 20_000 },
  // `npm test` plays 200 runs of its own, always the same ones: chance is for this row, on demand.
  slow: true,
  run: (bench) =>
    playModel(outboxModel, bench, ({ outcomes }) =>
      ['performed', 'refused', 'lost answer', 'temporary id', 'databases lost'].map((name) => ({
        name,
        value: outcomes.get(name) ?? 0,
        atLeast: bench.rounds / 20,
      })),
    ),
};
