import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { longestWait } from '../scheduling/back-off.ts';
import { Jumps, JUMPS, LONGEST_JUMP } from './jumps.fixture.ts';
import { Lives } from './lives.fixture.ts';
import { every } from './stage.fixture.ts';

const HOUR = 3_600_000;

const jump = fc.record({ kind: fc.constantFrom(...JUMPS), by: fc.integer({ min: 1, max: LONGEST_JUMP }) });
const jumps = fc.array(jump, { minLength: 1, maxLength: 5 });
const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 5,
  maxLength: 20,
});

describe('whatever happens to the clock', () => {
  test('no loop asks in a burst or twice at a time, and none is silent for longer than ever', async () => {
    const lifes = fc.asyncProperty(chances, jumps, async (chance, all) => {
      let drawn = 0;
      const world = new Jumps(() => chance[(drawn += 1) % chance.length] ?? 0);
      for (const each of all) await world.suffer(each);
      expect([...world.silent, ...world.bursts, ...world.doubled]).toEqual([]);
    });
    await fc.assert(lifes, { numRuns: 8 });
  });
});

describe('loops under a clock that jumps', () => {
  test.each(JUMPS)('%s by hours are neither silenced nor hurried', async (kind) => {
    const world = new Jumps(() => 0.5);
    for (const hours of [1, 8, 24]) await world.suffer({ kind, by: hours * HOUR });
    expect([...world.silent, ...world.bursts, ...world.doubled]).toEqual([]);
    expect(world.requests).toBeGreaterThan(300);
  });
});

test.each([0, -1, -6, -24])(
  'a poll of 5 s whose network failed once is silent for no longer than ever, though the clock is set by %i h and its worker ends',
  async (hours) => {
    const lives = new Lives();
    lives.reply = () => ({ after: 0, outcome: failed('network') });
    lives.join('anna', { pace: every(5_000) });
    await lives.clock.advance(300);
    lives.kill();
    lives.clock.set(hours * HOUR);
    lives.reply = () => ({ after: 0, outcome: answered() });
    const before = lives.times.length;
    lives.join('anna', { pace: every(5_000), firstIn: 1_000, again: { revision: null, overdueBy: 0 } });
    await lives.clock.advance(longestWait(5_000));
    expect(lives.times.length).toBeGreaterThan(before);
  },
);
