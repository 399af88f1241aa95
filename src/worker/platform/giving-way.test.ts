import { expect, test } from 'vitest';
import { TimeSlices } from './giving-way.ts';

/** Every step takes a millisecond, every pause a hundred. */
class World {
  time = 0;
  /** When each pause began. */
  readonly pauses: number[] = [];
  readonly slices: TimeSlices = new TimeSlices({
    now: () => this.time,
    pause: async () => {
      this.pauses.push(this.time);
      this.time += 100;
    },
  });

  *work(steps: number): Generator<void, string> {
    for (let step = 0; step < steps; step += 1) {
      this.time += 1;
      yield;
    }
    return 'done';
  }
}

test('work pauses once a slice is used up, and not before', async () => {
  const world = new World();
  await expect(world.slices.run(world.work(9))).resolves.toBe('done');
  expect(world.pauses).toEqual([4, 108]);
});

test('short work does not pause', async () => {
  const world = new World();
  await expect(world.slices.run(world.work(3))).resolves.toBe('done');
  expect(world.pauses).toEqual([]);
});

test('work that follows at once on other work has what is left of its slice', async () => {
  const world = new World();
  await world.slices.run(world.work(3));
  await world.slices.run(world.work(3));
  expect(world.pauses).toEqual([4]);
});

test('work that begins later has a slice of its own', async () => {
  const world = new World();
  await world.slices.run(world.work(3));
  world.time += 2;
  await world.slices.run(world.work(3));
  expect(world.pauses).toEqual([]);
});

test('a clock that was set back does not make a slice longer', async () => {
  const world = new World();
  world.time = 1_000_000;
  await world.slices.run(world.work(3));
  world.time = 0;
  await world.slices.run(world.work(5));
  expect(world.pauses).toEqual([4]);
});
