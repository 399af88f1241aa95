import { BACK, ClockBack, STORAGE } from '../../src/main/session/clock-back.fixture.ts';
import type { Bench, Result, Row } from './row.ts';

/** Lives of the worker in one world: by then a page knows lines of revisions that are days ahead of the clock. */
const LIVES = 5;

/**
 * The clock is set back by a minute, an hour or a day from one life of the worker to the next, in plain Node, while what is
 * stored stays, is cleared or is lost: pages show the newest, and none goes back to an older state. A round is one life.
 */
export const clockBack: Row = {
  number: 42,
  name: 'clock-back',
  rounds: { short: 10, long: 2_000 },
  slow: false,
  run,
};

async function run({ rounds, random }: Bench): Promise<Result> {
  const worlds: ClockBack[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % LIVES === 0) worlds.push(new ClockBack());
    await worlds.at(-1)?.suffer({
      back: random.one(BACK),
      storage: random.one(STORAGE),
      isChanged: random.chance(0.5),
      isLate: random.chance(0.5),
    });
  }
  const behind = worlds.flatMap((world) => world.behind);
  const older = worlds.flatMap((world) => world.older);
  for (const each of [...behind, ...older].slice(0, 5)) process.stderr.write(`${each}\n`);
  return {
    rounds,
    lost: behind.length,
    duplicated: 0,
    hung: 0,
    figures: [{ name: 'older after newer', value: older.length, atMost: 0 }],
  };
}
