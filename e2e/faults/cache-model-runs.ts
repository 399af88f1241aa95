import { cacheModel } from './cache-model/world.ts';
import { playModel } from './model-runs.ts';
import type { Row } from './row.ts';

/**
 * Two pages of users who come and go, one worker that the browser ends, and a server whose answers say all kinds of
 * things about caching, in plain Node, held against RFC 9111. A round is a run of 80 commands; what is not as the model
 * has it is printed with its seed.
 */
export const cacheModelRuns: Row = {
  number: 47,
  name: 'cache-model-runs',
  rounds: { short: 20, long: 20_000 },
  // `npm test` plays 200 runs of its own, always the same ones: chance is for this row, on demand.
  slow: true,
  run: (bench) =>
    playModel(cacheModel, bench, ({ outcomes }) => [
      { name: 'from the network', value: outcomes.get('network') ?? 0, atLeast: bench.rounds },
      { name: 'from the cache', value: outcomes.get('cache') ?? 0, atLeast: bench.rounds },
      { name: 'stale', value: outcomes.get('stale') ?? 0 },
    ]),
};
