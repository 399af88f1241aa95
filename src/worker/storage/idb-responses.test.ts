import { describe, expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { describeAmendments } from './amendments.contract.fixture.ts';
import { Database } from './database.ts';
import type { StoreName } from './database.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';
import { describeResponses } from './responses.contract.fixture.ts';
import { LATER, openWith } from './versions.fixture.ts';

/** Bytes of a body that does not lie in its record. */
const LARGE = 3_000;

function database(indexedDB: IDBFactory = new IDBFactory()): Database {
  return new Database({ clock: new VirtualClock(), indexedDB }, 'default', () => {});
}

function answersIn(shared: Database, capacity?: number): IdbResponses {
  return new IdbResponses(new FakeSystem(), shared, capacity);
}

describeResponses('a database', (capacity) => answersIn(database(), capacity));

describeAmendments('a database', (capacity) => answersIn(database(), capacity));

describeResponses('a database of a later version', (capacity) => {
  const factory = new IDBFactory();
  // Asked for first, so that it is there when this release opens.
  void openWith(LATER, factory);
  return answersIn(database(factory), capacity);
});

test('a later worker finds what an earlier one stored', async () => {
  const factory = new IDBFactory();
  const earlier = answersIn(database(factory));
  await earlier.salt('grain');
  await earlier.update('a', replaceBy(record('a')));
  const later = answersIn(database(factory));
  expect(await later.find('a')).toEqual(record('a'));
  expect(await later.usage()).toEqual({ entries: 1, bytes: 3 });
  expect(await later.salt('other')).toBe('grain');
});

describe('what was damaged', () => {
  test.each([
    ['no headers', { ...record('a'), headers: null }],
    ['a header that is none', { ...record('a'), headers: [['name']] }],
    ['a size that is text', { ...record('a'), size: '3' }],
    ['no revision', { ...record('a'), revision: undefined }],
    ['nothing but its key', { key: 'a' }],
  ])('is not served and goes; the rest is served: a record with %s', async (_damage, value) => {
    const answers = await damaged('responses', 'a', value);
    expect(await answers.find('a')).toBeNull();
    expect((await answers.usage()).entries).toBe(1);
    expect(await answers.find('b')).toEqual(record('b'));
  });

  test.each([
    ['cut short', new ArrayBuffer(LARGE - 1)],
    ['of another byte', new Uint8Array(LARGE).fill(1, 1).buffer],
    ['something else', 'text'],
  ])('is not served and goes: a body that is %s', async (_damage, value) => {
    const answers = await damaged('bodies', 'a', value, LARGE);
    expect(await answers.body(record('a', LARGE))).toBeNull();
    expect(await answers.find('a')).toBeNull();
    expect(await answers.usage()).toEqual({ entries: 1, bytes: LARGE });
  });

  test.each([
    ['cut short', new ArrayBuffer(2)],
    ['of another byte', new Uint8Array([1, 2, 1]).buffer],
    ['something else', 'text'],
    ['missing', undefined],
  ])('is not served and goes: a small body that is %s', async (_damage, body) => {
    const answers = await damaged('responses', 'a', { ...record('a'), body, usedAt: 1 });
    expect(await answers.body(record('a'))).toBeNull();
    expect(await answers.find('a')).toBeNull();
    expect(await answers.usage()).toEqual({ entries: 1, bytes: 3 });
  });

  test('goes alone: what was stored in its place meanwhile stays', async () => {
    const answers = await damaged('responses', 'a', { key: 'a', size: 3 });
    const finding = answers.find('a');
    await answers.update('a', replaceBy(record('a', 5)));
    await finding;
    expect(await answers.find('a')).toEqual(record('a', 5));
    expect(await answers.usage()).toEqual({ entries: 2, bytes: 8 });
  });

  test('counts as nothing when it is replaced', async () => {
    const answers = await damaged('responses', 'a', { key: 'a', size: 3 });
    const seen: unknown[] = [];
    await answers.update('a', (current) => {
      seen.push(current);
      return replaceBy(record('a', 5))(current);
    });
    expect(seen).toEqual([null]);
    expect(await answers.usage()).toEqual({ entries: 2, bytes: 8 });
  });
});

describe('when the browser has no more room', () => {
  test('half of the answers, the least recently received, give way and it is tried once more', async () => {
    const [answers, full] = await four();
    full.refusals.push(true);
    await answers.update('new', replaceBy(record('new', 10)));
    expect(await answers.find('new')).not.toBeNull();
    expect(
      await Promise.all(['a', 'b', 'c', 'd'].map(async (key) => (await answers.find(key)) !== null)),
    ).toEqual([true, true, false, false]);
    expect(await answers.usage()).toEqual({ entries: 3, bytes: 210 });
  });

  test('more give way to a large one', async () => {
    const [answers, full] = await four();
    full.refusals.push(true);
    await answers.update('new', replaceBy(record('new', 1_000)));
    expect(await answers.usage()).toEqual({ entries: 1, bytes: 1_000 });
  });

  test('answers give way also where there is no room for the smallest value', async () => {
    const [answers, full] = await four();
    full.isFull = true;
    await answers.update('new', replaceBy(record('new', 10)));
    expect(await answers.usage()).toEqual({ entries: 3, bytes: 210 });
  });

  test('what is left is counted where it could not be noted', async () => {
    const [answers, full] = await four();
    full.refusals.push(true, false, true);
    await answers.update('new', replaceBy(record('new', 10)));
    expect(await answers.usage()).toEqual({ entries: 3, bytes: 210 });
  });

  test('writes that are refused together share the room that one of them makes', async () => {
    const [answers, full] = await four();
    full.refusals.push(true, true);
    await Promise.all(['new', 'newer'].map((key) => answers.update(key, replaceBy(record(key, 10)))));
    expect(await answers.keys()).toEqual(['a', 'b', 'new', 'newer']);
    expect(await answers.usage()).toEqual({ entries: 4, bytes: 220 });
  });

  test('a large one that shared too little room makes more', async () => {
    const [answers, full] = await four();
    // Refused: both, and the second of them once more, after the answers that were removed and the note of the rest.
    full.refusals.push(true, true, false, false, false, true);
    const sizes = { new: 10, large: 1_000 };
    await Promise.all(
      Object.entries(sizes).map(([key, size]) => answers.update(key, replaceBy(record(key, size)))),
    );
    expect(await answers.keys()).toEqual(['large']);
  });

  test('the second refusal is final', async () => {
    const [answers, full] = await four();
    full.refusals.push(true, false, false, true);
    await expect(answers.update('new', replaceBy(record('new', 10)))).rejects.toThrow('full');
    expect(await answers.find('new')).toBeNull();
    expect(await answers.usage()).toEqual({ entries: 2, bytes: 200 });
  });
});

/** Two stored answers, `a` and `b`, with something else in the place of one. */
async function damaged(store: StoreName, key: string, value: unknown, size = 3): Promise<IdbResponses> {
  const shared = database();
  const answers = answersIn(shared);
  await answers.update('a', replaceBy(record('a', size)));
  await answers.update('b', replaceBy(record('b', size)));
  await shared.transact([store], 'readwrite', async (transaction) => {
    const damage = transaction.objectStore(store);
    await (store === 'bodies' || store === 'meta' ? damage.put(value, key) : damage.put(value));
  });
  return answers;
}

async function four(): Promise<[IdbResponses, FullDatabase]> {
  const full = new FullDatabase();
  const answers = answersIn(full);
  for (const [index, key] of ['d', 'c', 'b', 'a'].entries()) {
    await answers.update(key, replaceBy(record(key, 100, { receivedAt: index })));
  }
  return [answers, full];
}
