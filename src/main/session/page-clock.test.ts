import { expect, test } from 'vitest';
import { VirtualClock } from '../../worker/platform/virtual-clock.fixture.ts';
import { PageClock } from './due.ts';

const HOUR = 3_600_000;

/** A page's clock on a device's, and the time that it counts waits by, since it began. */
function clocks(): { device: VirtualClock; passed: () => number } {
  const device = new VirtualClock();
  let asleep = 0;
  const oversleep = device.oversleep.bind(device);
  device.oversleep = (milliseconds) => {
    asleep += milliseconds;
    return oversleep(milliseconds);
  };
  const clock = new PageClock({ now: () => device.now(), elapsed: () => device.unset - asleep });
  const begun = device.now();
  return { device, passed: () => clock.now() + clock.back - begun };
}

test('a page counts a wait on, however often the device’s clock is set back meanwhile', async () => {
  const { device, passed } = clocks();
  for (const hours of [2, 24, 1]) {
    await device.advance(60_000);
    device.set(-hours * HOUR);
    await device.advance(60_000);
  }
  expect(passed()).toBe(360_000);
});

test('a page counts the time in which the machine slept, after the clock was set back too', async () => {
  const { device, passed } = clocks();
  await device.oversleep(HOUR);
  expect(passed()).toBe(HOUR);
  device.set(-2 * HOUR);
  expect(passed()).toBe(HOUR);
  await device.oversleep(HOUR);
  expect(passed()).toBe(2 * HOUR);
});

test('a page’s time goes no faster where its two clocks are rounded differently', () => {
  let now = 0;
  const clock = new PageClock({ now: () => Math.floor(now / 100) * 100, elapsed: () => now });
  for (; now < 100_000; now += 70) expect(clock.back).toBe(0);
});
