import { JUMPS, Jumps, LONGEST_JUMP } from '../../src/worker/loops/jumps.fixture.ts';
import type { Bench, Result, Row } from './row.ts';

/**
 * The clock is set by up to a day, or the machine sleeps for as long, under loops of all kinds, in plain Node: they ask
 * at most once at once, then at their usual pace, and none is silent for longer than it ever is. A round is one jump.
 */
export const clockJump: Row = {
  number: 26,
  name: 'clock-jump',
  rounds: { short: 20, long: 2_000 },
  slow: false,
  run,
};

async function run({ rounds, random }: Bench): Promise<Result> {
  const world = new Jumps(() => random.next());
  for (let round = 0; round < rounds; round += 1) {
    await world.suffer({ kind: random.one(JUMPS), by: random.between(1, LONGEST_JUMP) });
  }
  return {
    rounds,
    lost: world.silent.length,
    duplicated: world.doubled.length,
    hung: 0,
    figures: [
      { name: 'bursts', value: world.bursts.length, atMost: 0 },
      { name: 'requests', value: world.requests, atLeast: rounds },
      {
        name: 'longest silence after a jump',
        value: 100 * world.longestSilence,
        unit: '% of a wait',
        atMost: 100,
      },
    ],
  };
}
