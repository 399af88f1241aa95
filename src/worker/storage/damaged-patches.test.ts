import { describe, expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';
import { recordOf, SIZE, state, stepTo, WEIGHT, whole } from './states.fixture.ts';

const PAUSE = { pause: async (): Promise<void> => {} };

describe('what was damaged is not served and goes, with all that it counted for', () => {
  const patch = { key: 'a', n: 2, ...stepTo(3) };

  test.each<[damage: string, (stage: AmendedStage) => Promise<unknown>]>([
    ['the first change is missing', (stage) => stage.delete('patches', ['a', 1])],
    ['a change between is missing', (stage) => stage.delete('patches', ['a', 2])],
    ['the last change is missing', (stage) => stage.delete('patches', ['a', 3])],
    ['a change does not fit', (stage) => stage.put('patches', { ...patch, runs: [0, SIZE + 1], size: SIZE })],
    ['a change fits but is another', (stage) => stage.put('patches', { ...patch, ...stepTo(9) })],
    ['a change has no runs', (stage) => stage.put('patches', { ...patch, runs: null })],
    ['a change has runs that are text', (stage) => stage.put('patches', { ...patch, runs: ['0', '1'] })],
    ['a change has no bytes', (stage) => stage.put('patches', { ...patch, literal: 'text' })],
    [
      'a change lies between two',
      async (stage) => {
        await stage.delete('patches', ['a', 2]);
        await stage.put('patches', { ...patch, n: 1.5 });
      },
    ],
    [
      'their size is not what is known of it',
      (stage) => {
        const log = { snapshot: SIZE, count: 3, bytes: 3 * WEIGHT, since: 0 };
        const counted = SIZE + 3 * WEIGHT;
        return stage.put('responses', { ...recordOf('a', 4), size: SIZE - 1, counted, log });
      },
    ],
    ['the snapshot is missing', (stage) => stage.delete('bodies', 'a')],
    ['the snapshot is cut short', (stage) => stage.put('bodies', new ArrayBuffer(SIZE - 1), 'a')],
    ['the snapshot is another', (stage) => stage.put('bodies', new ArrayBuffer(SIZE), 'a')],
    ['the snapshot is something else', (stage) => stage.put('bodies', 'text', 'a')],
  ])('where %s', async (_damage, damage) => {
    const stage = await new AmendedStage().reach(4);
    await stage.answers.update('b', replaceBy(record('b', SIZE)));
    await damage(stage);
    expect(await stage.answers.body(recordOf('a', 4))).toBeNull();
    expect(await stage.answers.find('a')).toBeNull();
    expect(await stage.answers.usage()).toEqual({ entries: 1, bytes: SIZE });
    expect([await stage.patches(), await stage.keysIn('bodies')]).toEqual([[], ['b']]);
  });

  test.each<[gap: string, n: number, put: number | null]>([
    ['the first', 1, null],
    ['one between', 2, null],
    ['the last', 3, null],
    ['one that lies elsewhere', 2, 1.5],
    ['one between, and there is one more,', 2, 4],
  ])('where %s is missing, were the digest of no help', async (_gap, n, put) => {
    const stage = await new AmendedStage().reach(4);
    await stage.delete('patches', ['a', n]);
    if (put !== null) await stage.put('patches', { ...patch, n: put });
    const system = { ...PAUSE, clock: stage.system.clock, digest: async () => recordOf('a', 4).digest };
    expect(await new IdbResponses(system, stage.database).body(recordOf('a', 4))).toBeNull();
    expect(await stage.answers.find('a')).toBeNull();
  });

  const log = { snapshot: SIZE, count: 3, bytes: 3 * WEIGHT, since: 0 };
  test.each<[damage: string, differing: object]>([
    ['no digest', { log, digest: undefined }],
    ['no size', { log, size: undefined }],
    ['no log', { log: null }],
    ['a log of no changes', { log: { ...log, count: 0 } }],
    ['a log of no age', { log: { ...log, since: NaN } }],
  ])('where what is known of the changes is %s', async (_damage, differing) => {
    const stage = await new AmendedStage().reach(4);
    await stage.put('responses', { ...recordOf('a', 4), counted: SIZE + 3 * WEIGHT, ...differing });
    expect(await stage.answers.find('a')).toBeNull();
    expect([await stage.patches(), await stage.bytes()]).toEqual([[], 0]);
  });

  test('unless another answer has taken its place meanwhile', async () => {
    const stage = await new AmendedStage().reach(4);
    await stage.delete('patches', ['a', 2]);
    const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
      await stage.answers.update('a', whole('a', 5));
      return stage.system.digest(bytes);
    };
    await stage.put('patches', { ...patch, ...stepTo(9) });
    const slow = new IdbResponses({ ...PAUSE, clock: stage.system.clock, digest }, stage.database);
    expect(await slow.body(recordOf('a', 4))).toBeNull();
    expect(await stage.answers.body(recordOf('a', 5))).toEqual(state(5).buffer);
  });
});

test('what a lost record leaves behind does not spoil the answer that is stored in its place', async () => {
  const stage = await new AmendedStage().reach(4);
  await stage.delete('responses', 'a');
  await stage.reach(2);
  expect(await stage.patches()).toEqual([1, 2, 3]);
  expect(await stage.answers.body(recordOf('a', 2))).toEqual(state(2).buffer);
});
