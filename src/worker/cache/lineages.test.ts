import { describe, expect, test } from 'vitest';
import { isYoungerLineage, newLineage, ordinalOf } from '../../shared/outcome.ts';
import { greeting } from '../../shared/message-shapes.ts';
import { greetingOf } from '../../shared/messages.fixture.ts';
import { Lineages } from './change.ts';

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
    expect(isYoungerLineage(line, lines[index] ?? '')).toBe(true);
});

test('a burst of lines does not run ahead of the clock', () => {
  const world = new World();
  const life = world.life();
  for (let each = 0; each < 2_000; each += 1) life.begin();
  world.now += 2;
  const next = world.life();
  const last = life.begin();
  next.heed(ordinalOf(last));
  expect(next.isBehind({ lineage: newLineage(1, 'old'), number: 1 })).toBe(false);
});

test.each([60_000, HOUR, 24 * HOUR])(
  'a life by a clock that is %i ms back goes on above what a page knows',
  (back) => {
    const world = new World();
    const known = world.life().begin();
    world.now -= back;
    const life = world.life();
    const early = life.begin();
    expect(life.isBehind({ lineage: early, number: 1 })).toBe(false);
    life.heed(ordinalOf(known));
    const late = life.begin();
    expect(isYoungerLineage(late, known)).toBe(true);
    expect([known, early, late].map((lineage) => life.isBehind({ lineage, number: 1 }))).toEqual([
      false,
      true,
      false,
    ]);
  },
);

test('nothing is behind by a clock that goes on', () => {
  const world = new World();
  const known = world.life().begin();
  world.now += 1;
  const life = world.life();
  life.heed(ordinalOf(known));
  expect(life.isBehind({ lineage: newLineage(1, 'old'), number: 1 })).toBe(false);
});

describe('an ordinal that no clock has made', () => {
  test.each([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1, 8_000_000_000_000_000])(
    'is not heeded: %d',
    (ordinal) => {
      const world = new World();
      const life = world.life();
      const before = life.begin();
      life.heed(ordinal);
      expect(life.isBehind({ lineage: before, number: 1 })).toBe(false);
      expect(ordinalOf(life.begin())).toBe(ordinalOf(before) + 1);
    },
  );

  test('that is heeded leaves room for lines that later lives and pages heed in turn', () => {
    const world = new World();
    const life = world.life();
    life.heed(world.now * 1_000 + 4_000_000_000_000_000);
    const told = life.begin();
    world.now += 1;
    const next = world.life();
    next.heed(ordinalOf(told));
    expect(isYoungerLineage(next.begin(), told)).toBe(true);
  });
});

test.each([2100, 2300, 9999])('a clock that stands at the year %i makes lines that can be told', (year) => {
  const world = new World();
  world.now = Date.UTC(year, 0);
  const life = world.life();
  const lines = [life.begin(), life.begin()];
  expect(isYoungerLineage(lines[1] ?? '', lines[0] ?? '')).toBe(true);
  const lineage = ordinalOf(lines[1] ?? '');
  expect(greeting(greetingOf({ lineage }))).toBeNull();
  // It was wrong, and is set right.
  world.now = Date.UTC(2026, 0);
  const next = world.life();
  next.heed(lineage);
  expect(isYoungerLineage(next.begin(), lines[1] ?? '')).toBe(true);
});
