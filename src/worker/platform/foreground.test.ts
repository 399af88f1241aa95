import { expect, test } from 'vitest';
import { Foreground } from './giving-way.ts';
import { VirtualClock } from './virtual-clock.fixture.ts';

/** Milliseconds for which background work gives way to pages that speak at these instants after it has asked. */
async function givesWayFor(spoken: readonly number[]): Promise<number> {
  const clock = new VirtualClock();
  const foreground = new Foreground(clock);
  await clock.advance(1_000);
  const began = clock.now();
  if (spoken[0] === 0) foreground.note();
  const over = foreground.giveWay().then(() => clock.now() - began);
  for (let passed = 1; passed < 1_000; passed += 1) {
    await clock.advance(1);
    if (spoken.includes(passed)) foreground.note();
  }
  return over;
}

test('background work that no page has spoken before goes on at once', async () => {
  expect(await givesWayFor([])).toBe(0);
});

test('background work waits until no page has spoken for 25 ms', async () => {
  expect(await givesWayFor([0])).toBe(25);
  expect(await givesWayFor([0, 10])).toBe(35);
});

test('background work goes on after 60 ms, though pages speak all the time', async () => {
  expect(await givesWayFor(Array.from({ length: 200 }, (_, passed) => passed))).toBe(60);
});

test('background work waits for nothing where the clock is set back', async () => {
  const clock = new VirtualClock();
  const foreground = new Foreground({
    now: () => clock.now() - (isBack ? 3_600_000 : 0),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
  });
  let isBack = false;
  await clock.advance(1_000);
  foreground.note();
  isBack = true;
  await foreground.giveWay();
  expect(clock.now()).toBeGreaterThan(0);
});
