import { describe, expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';
import { recordOf, SIZE, state, WEIGHT, whole } from './states.fixture.ts';

describe('room', () => {
  test('is made for changes, and given back with them', async () => {
    const stage = new AmendedStage(undefined, 3 * 1_024 + 3 * SIZE + 3 * WEIGHT - 1);
    for (const key of ['older', 'old']) await stage.answers.update(key, whole(key, 1));
    await stage.reach(3);
    expect(await stage.answers.find('older')).not.toBeNull();
    await stage.goOn(4, 4);
    expect(await stage.answers.find('older')).toBeNull();
    expect(await stage.answers.usage()).toEqual({ entries: 2, bytes: 2 * SIZE + 3 * WEIGHT });
  });

  test('is made by answers with all their changes', async () => {
    const stage = await new AmendedStage(undefined, 3 * 1_024 + 2 * SIZE + 3 * WEIGHT).reach(4);
    await stage.answers.update('b', whole('b', 1));
    expect(await stage.patches()).toEqual([1, 2, 3]);
    await stage.answers.update('c', whole('c', 1));
    expect([await stage.answers.find('a'), await stage.patches()]).toEqual([null, []]);
    expect(await stage.answers.usage()).toEqual({ entries: 2, bytes: 2 * SIZE });
  });
});

/** Three answers of that size beside state 3 of another, in a database that can be full. */
async function full(): Promise<[AmendedStage, FullDatabase]> {
  const database = new FullDatabase();
  const stage = new AmendedStage(database);
  for (const key of ['x', 'y', 'z']) await stage.answers.update(key, replaceBy(record(key, SIZE)));
  await stage.reach(3);
  return [stage, database];
}

describe('when the browser has no more room', () => {
  test('other answers give way to a change, and it is tried once more', async () => {
    const [stage, database] = await full();
    database.refusals.push(true);
    await stage.goOn(4, 4);
    expect(await stage.answers.body(recordOf('a', 4))).toEqual(state(4).buffer);
    expect(await stage.patches()).toEqual([1, 2, 3]);
    expect(await stage.answers.usage()).toEqual({ entries: 1, bytes: SIZE + 3 * WEIGHT });
  });

  test('the whole is stored where the answer itself gave way', async () => {
    const [stage, database] = await full();
    // The others are used after it.
    for (const key of ['x', 'y', 'z'])
      await stage.answers.update(key, () => ({ kind: 'describe', stored: record(key, SIZE) }));
    database.refusals.push(true);
    await stage.goOn(4, 4);
    expect(await stage.answers.body(recordOf('a', 4))).toEqual(state(4).buffer);
    expect(await stage.patches()).toEqual([]);
  });

  test('the second refusal is final, and the state before stays whole', async () => {
    const [stage, database] = await full();
    database.refusals.push(true, false, false, true);
    await expect(stage.goOn(4, 4)).rejects.toThrow('full');
    expect(await stage.answers.find('a')).toEqual(recordOf('a', 3));
    expect(await stage.answers.body(recordOf('a', 3))).toEqual(state(3).buffer);
    expect(await stage.bytes()).toBe(SIZE + 2 * WEIGHT);
  });
});

test.each([
  ['a change', 4],
  ['a compaction', 37],
])('a transaction that is aborted leaves the state before whole: %s', async (_write, n) => {
  const database = new FullDatabase();
  const stage = await new AmendedStage(database).reach(n - 1);
  database.refusals.push(true, true);
  const before = [await stage.patches(), await stage.bytes()];
  await expect(stage.goOn(n, n)).rejects.toThrow('full');
  expect([await stage.patches(), await stage.bytes()]).toEqual(before);
  expect(await stage.answers.body(recordOf('a', n - 1))).toEqual(state(n - 1).buffer);
});
