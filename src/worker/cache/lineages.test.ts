import { expect, test } from 'vitest';
import { isYoungerLine, newLine, ordinalOf } from '../../shared/line.ts';
import { Lineages } from './lineages.ts';

const HOUR = 3_600_000;

class World {
  now = Date.UTC(2026, 0, 1);
  #named = 0;

  life(): Lineages {
    return new Lineages(
      () => this.now,
      () => `name ${(this.#named += 1)}`,
    );
  }
}

test('each line is younger than the one before, however the clock is set meanwhile', () => {
  const world = new World();
  const life = world.life();
  const lines = [0, 0, 5, -HOUR, -24 * HOUR, 1].map((by) => {
    world.now += by;
    return life.begin();
  });
  for (const [index, line] of lines.slice(1).entries())
    expect(isYoungerLine(line, lines[index] ?? '')).toBe(true);
});

test('a burst of lines does not run ahead of the clock', () => {
  const world = new World();
  const life = world.life();
  for (let each = 0; each < 2_000; each += 1) life.begin();
  world.now += 2;
  const next = world.life();
  const last = life.begin();
  next.heed(ordinalOf(last));
  expect(next.isBehind({ line: newLine(1, 'old'), n: 1 })).toBe(false);
});

test.each([60_000, HOUR, 24 * HOUR])(
  'a life by a clock that is %i ms back goes on above what a page knows',
  (back) => {
    const world = new World();
    const known = world.life().begin();
    world.now -= back;
    const life = world.life();
    const early = life.begin();
    expect(life.isBehind({ line: early, n: 1 })).toBe(false);
    life.heed(ordinalOf(known));
    const late = life.begin();
    expect(isYoungerLine(late, known)).toBe(true);
    expect([known, early, late].map((line) => life.isBehind({ line, n: 1 }))).toEqual([false, true, false]);
  },
);

test('nothing is behind by a clock that goes on', () => {
  const world = new World();
  const known = world.life().begin();
  world.now += 1;
  const life = world.life();
  life.heed(ordinalOf(known));
  expect(life.isBehind({ line: newLine(1, 'old'), n: 1 })).toBe(false);
});
