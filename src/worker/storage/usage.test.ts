import { expect, test, vi } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { USAGE } from './eviction.ts';
import { record, replaceBy } from './record.fixture.ts';

/** Six answers of 100 bytes, and what was kept of their usage damaged. */
async function damaged(usage: unknown): Promise<AmendedStage> {
  const stage = new AmendedStage(undefined, 10_000);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f'])
    await stage.answers.update(key, replaceBy(record(key, 100)));
  await stage.put('meta', usage, USAGE);
  return stage;
}

test.each([
  ['missing', undefined],
  ['text', 'many'],
  ['below nothing', { entries: -1, bytes: 3 }],
])('usage that is %s is counted anew', async (_what, usage) => {
  const stage = await damaged(usage);
  expect(await stage.answers.usage()).toEqual({ entries: 6, bytes: 600 });
  await stage.answers.remove('a');
  expect(await stage.answers.usage()).toEqual({ entries: 5, bytes: 500 });
});

test('usage that says too much costs the others their place, and is right from then on', async () => {
  const stage = await damaged({ entries: 1_000_000, bytes: 10 });
  await stage.answers.update('g', replaceBy(record('g', 100)));
  expect(await stage.answers.keys()).toEqual(['g']);
  expect(await stage.answers.usage()).toEqual({ entries: 1, bytes: 100 });
});

test('what is read is used: after an hour that is noted, and others give way before it', async () => {
  const stage = new AmendedStage(undefined, 5_000);
  for (const key of ['a', 'b', 'c']) await stage.answers.update(key, replaceBy(record(key, 100)));
  await stage.system.clock.advance(3_600_000);
  await stage.answers.body(record('a', 100));
  await expect.poll(() => stage.answers.keys()).toContain('a');
  await stage.answers.update('d', replaceBy(record('d', 100)));
  await stage.answers.update('e', replaceBy(record('e', 100)));
  expect(await stage.answers.keys()).toEqual(['a', 'c', 'd', 'e']);
});

test('what is stored after the clock was set back gives way after what was stored before, in another life too', async () => {
  const stage = new AmendedStage(undefined, 5_000);
  for (const key of ['a', 'b', 'c', 'd']) await stage.answers.update(key, replaceBy(record(key, 100)));
  stage.system.clock.set(-86_400_000);
  const later = stage.nextLife();
  for (const key of ['e', 'f', 'g']) await later.update(key, replaceBy(record(key, 100)));
  expect(await later.keys()).toEqual(['d', 'e', 'f', 'g']);
});

/** Three answers, the first of which is read hourly from when the clock was set back by a day. */
async function readHourly(hours: number): Promise<AmendedStage> {
  const stage = new AmendedStage(undefined, 5_000);
  for (const key of ['a', 'b', 'c']) await stage.answers.update(key, replaceBy(record(key, 100)));
  stage.system.clock.set(-86_400_000);
  for (let hour = 0; hour < hours; hour += 1) {
    await stage.system.clock.advance(3_600_000);
    await stage.answers.body(record('a', 100));
    // The use is noted on its own.
    await stage.answers.usage();
  }
  return stage;
}

test('what is read after the clock was set back is used, and others give way before it', async () => {
  const stage = await readHourly(2);
  await stage.answers.update('d', replaceBy(record('d', 100)));
  await stage.answers.update('e', replaceBy(record('e', 100)));
  expect(await stage.answers.keys()).toEqual(['a', 'c', 'd', 'e']);
});

test('what is read again and again is noted once an hour, after the clock was set back too', async () => {
  const stage = await readHourly(1);
  const noted = vi.spyOn(stage.answers, 'update');
  for (let minute = 0; minute < 60; minute += 1) {
    await stage.system.clock.advance(60_000);
    await stage.answers.body(record('a', 100));
  }
  expect(noted).toHaveBeenCalledTimes(1);
});
