import { CACHE_COMMANDS, cacheTextOf, findInCache } from './cache-model/run.ts';
import type { CacheTally } from './cache-model/run.ts';
import type { Bench, Result, Row } from './row.ts';

/** Seeds of runs are below that. */
const SEEDS = 2 ** 31;

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
  run,
};

async function run({ rounds, random }: Bench): Promise<Result> {
  const tally: CacheTally = { requests: 0, told: new Map() };
  let differing = 0;
  for (let nth = 0; nth < rounds; nth += 1) {
    const finding = await findInCache(random.between(0, SEEDS), tally);
    if (!finding) continue;
    differing += 1;
    console.error(cacheTextOf(finding));
  }
  return {
    rounds,
    lost: 0,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'runs that differ', value: differing, atMost: 0 },
      { name: 'commands', value: rounds * CACHE_COMMANDS },
      { name: 'requests', value: tally.requests, atLeast: rounds },
      { name: 'from the network', value: tally.told.get('network') ?? 0, atLeast: rounds },
      { name: 'from the cache', value: tally.told.get('cache') ?? 0, atLeast: rounds },
      { name: 'stale', value: tally.told.get('stale') ?? 0 },
    ],
  };
}
