import { expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { nth, Stage } from './write-stage.fixture.ts';

/** The answers of loops: the first is written at once, so the next ones wait. */
async function begun(): Promise<Stage> {
  const stage = new Stage();
  void stage.order(nth('first', 1), { isPatient: true });
  await settle();
  expect(stage.batches).toEqual([['first']]);
  return stage;
}

test('answers of loops are written together, three seconds after those before, and of each only the newest', async () => {
  const stage = await begun();
  for (const number of [2, 3]) {
    for (const key of ['a', 'b']) void stage.order(nth(key, number), { isPatient: true });
    await stage.clock.advance(1_000);
  }
  expect(stage.batches).toHaveLength(1);
  await stage.clock.advance(1_000);
  expect(stage.batches).toEqual([['first'], ['b', 'a']]);
  expect(await stage.place.find('a')).toEqual(nth('a', 3));
});

test('an answer that nobody follows takes with it what waits', async () => {
  const stage = await begun();
  void stage.order(nth('a', 1), { isPatient: true });
  void stage.order(nth('b', 1));
  await settle();
  expect(stage.batches).toEqual([['first'], ['b', 'a']]);
});

test('a worker that waits for all to be stored does not wait for the next time', async () => {
  const stage = await begun();
  void stage.order(nth('a', 1), { isPatient: true });
  await stage.behind.settled();
  expect(stage.batches).toEqual([['first'], ['a']]);
});

test('so many bytes that there would soon be no room for more do not wait', async () => {
  const stage = await begun();
  for (let n = 0; n < 20; n += 1) void stage.order(nth(`${n}`, 1, 500_000), { isPatient: true });
  await settle();
  expect(stage.batches.flat()).toHaveLength(21);
});

test('what waits is dropped where all is cleared meanwhile', async () => {
  const stage = await begun();
  const isStored = stage.order(nth('a', 1), { isPatient: true });
  await stage.behind.clear(() => stage.place.clear());
  expect(await isStored).toBe(false);
  await stage.clock.advance(3_000);
  expect(await stage.place.find('a')).toBeNull();
});
