import { describe, expect, test } from 'vitest';
import { FakeSystem } from '../system.fixture.ts';
import { ResponsesBeforePatches } from './before-patches.fixture.ts';
import { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import { record, replaceBy } from './record.fixture.ts';
import { amended, recordOf, SIZE, state, WEIGHT, whole } from './states.fixture.ts';
import { NAME } from './versions.fixture.ts';

/** Those of the release that knew answers and loops. */
const BEFORE_PATCHES: readonly Step[] = STEPS.slice(0, 2);

/** A release before patches and this one, over the same database; each opens it when it is first used. */
class Meeting {
  readonly system: FakeSystem = new FakeSystem();
  readonly reasons: string[] = [];
  readonly older: ResponsesBeforePatches = new ResponsesBeforePatches(this.#database(BEFORE_PATCHES));
  readonly newer: IdbResponses = new IdbResponses(this.system, this.#database(STEPS));

  /** The newer one stores states 1 to `n`, all but the first as changes. */
  async reach(n: number): Promise<void> {
    await this.newer.update('a', whole('a', 1));
    for (let next = 2; next <= n; next += 1) await this.newer.update('a', amended('a', next));
  }

  patches(): Promise<IDBValidKey[]> {
    return this.#database(STEPS).transact(['patches'], 'readonly', (transaction) =>
      transaction.objectStore('patches').getAllKeys(),
    );
  }

  async version(): Promise<number | undefined> {
    const databases = await this.system.indexedDB?.databases();
    return databases?.find(({ name }) => name === NAME)?.version;
  }

  #database(steps: readonly Step[]): Database {
    return new Database(this.system, 'default', (reason) => void this.reasons.push(reason), steps);
  }
}

test('the answers of a release before patches are kept, and changes follow them', async () => {
  const meeting = new Meeting();
  await meeting.older.update('a', whole('a', 1));
  await meeting.older.update('b', replaceBy(record('b')));
  expect(await meeting.version()).toBe(2);
  expect(await meeting.newer.body(recordOf('a', 1))).toEqual(state(1).buffer);
  expect(await meeting.version()).toBe(STEPS.length);
  await meeting.newer.update('a', amended('a', 2));
  expect(await meeting.newer.body(recordOf('a', 2))).toEqual(state(2).buffer);
  expect(await meeting.newer.find('b')).toEqual(record('b'));
  expect(await meeting.newer.usage()).toEqual({ entries: 2, bytes: SIZE + WEIGHT + 3 });
  expect(meeting.reasons).toEqual([]);
});

describe('a release before patches, beside this one or after a roll-back', () => {
  test('finds an answer that no change followed', async () => {
    const meeting = new Meeting();
    await meeting.reach(1);
    expect(await meeting.older.find('a')).toEqual(recordOf('a', 1));
    expect(await meeting.older.body(recordOf('a', 1))).toEqual(state(1).buffer);
  });

  test('never gives the bytes of the snapshot for those of the newest state', async () => {
    const meeting = new Meeting();
    await meeting.reach(4);
    expect(await meeting.older.body(recordOf('a', 4))).toBeNull();
    expect(await meeting.older.find('a')).toBeNull();
    expect(await meeting.older.body(recordOf('a', 4))).toBeNull();
  });

  test('removes it, and nothing of it is counted any more', async () => {
    const meeting = new Meeting();
    await meeting.reach(4);
    await meeting.older.update('b', replaceBy(record('b')));
    await meeting.older.find('a');
    expect(await meeting.older.usage()).toEqual({ entries: 1, bytes: 3 });
    expect(await meeting.newer.find('a')).toBeNull();
    expect(await meeting.newer.body(recordOf('a', 4))).toBeNull();
    expect(await meeting.newer.usage()).toEqual({ entries: 1, bytes: 3 });
  });

  test.each([1, 2, 4])('an answer that is equal to state %i is stored whole, not described', async (n) => {
    const meeting = new Meeting();
    await meeting.reach(4);
    const seen: unknown[] = [];
    await meeting.older.update('a', (current) => {
      seen.push(current);
      return whole('a', n)(current);
    });
    expect(seen).toEqual([null]);
    expect(await meeting.newer.body(recordOf('a', n))).toEqual(state(n).buffer);
    expect(await meeting.newer.usage()).toEqual({ entries: 1, bytes: SIZE });
  });

  test('what it has left of changes is never taken for those of a later snapshot', async () => {
    const meeting = new Meeting();
    await meeting.reach(6);
    await meeting.older.update('a', whole('a', 7));
    expect(await meeting.patches()).toHaveLength(5);
    await meeting.newer.update('a', amended('a', 8));
    expect(await meeting.newer.body(recordOf('a', 8))).toEqual(state(8).buffer);
    expect(await meeting.patches()).toEqual([['a', 1]]);
  });

  test.each<[way: string, (meeting: Meeting) => Promise<unknown>]>([
    ['the next whole answer', ({ newer }) => newer.update('a', whole('a', 7))],
    ['removing the answer', ({ newer }) => newer.remove('a')],
    ['clearing', ({ newer }) => newer.clear()],
  ])('what it has left of changes goes with %s', async (_way, act) => {
    const meeting = new Meeting();
    await meeting.reach(6);
    await meeting.older.clear();
    expect(await meeting.patches()).toHaveLength(5);
    await act(meeting);
    expect(await meeting.patches()).toEqual([]);
  });
});
