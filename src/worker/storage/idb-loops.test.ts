import { describe, expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import type { StoreName } from './database.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { raiseGeneration } from './partitions.ts';
import { IdbLoops } from './idb-loops.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { entry, loop } from './loop-record.fixture.ts';
import { describeLoops } from './loops.contract.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';
import { LATER, openWith } from './versions.fixture.ts';

const DAY = 24 * 60 * 60 * 1_000;

function database(indexedDB: IDBFactory = new IDBFactory()): Database {
  return new Database({ clock: new VirtualClock(), indexedDB }, 'default', () => {});
}

describeLoops('a database', (clock) => new IdbLoops(clock, database()));

describeLoops('a database of a later version', (clock) => {
  const factory = new IDBFactory();
  // Asked for first, so that it is there when this release opens.
  void openWith(LATER, factory);
  return new IdbLoops(clock, database(factory));
});

/** A place with three entries in the log of `a` and one in that of `b`. */
async function filled(shared: Database = database(), clock = new VirtualClock()): Promise<IdbLoops> {
  const loops = new IdbLoops(clock, shared);
  for (const n of [1, 2, 3]) await loops.append(loop('a', { last: n, cursor: `${n}` }), entry(n), null);
  await loops.append(loop('b', { last: 1 }), entry(1), null);
  return loops;
}

async function numbers(loops: IdbLoops, key = 'a', after = 0, limit = 100): Promise<number[]> {
  return (await loops.entries(key, after, limit)).map(({ offset }) => offset);
}

/** The keys of all that lies in a store. */
function keysIn(shared: Database, store: 'loops' | 'feeds'): Promise<unknown[]> {
  return shared.transact([store], 'readonly', (transaction) => transaction.objectStore(store).getAllKeys());
}

async function put(shared: Database, store: 'loops' | 'feeds', value: unknown): Promise<void> {
  await shared.transact([store], 'readwrite', (transaction) => transaction.objectStore(store).put(value));
}

test('a later worker finds what an earlier one stored, and goes on from there', async () => {
  const factory = new IDBFactory();
  await filled(database(factory));
  const later = new IdbLoops(new VirtualClock(), database(factory));
  expect(await later.find('a')).toEqual(loop('a', { last: 3, cursor: '3' }));
  expect(await later.append(loop('a', { last: 4 }), entry(4), null)).toBe(1);
  expect(await numbers(later)).toEqual([1, 2, 3, 4]);
});

describe('an engine that acts no longer', () => {
  test.each<[string, (loops: IdbLoops, generation: number) => Promise<unknown>]>([
    ['saves', (loops, own) => loops.save(loop('a', { failures: 9, last: 3 }), own)],
    ['appends', (loops, own) => loops.append(loop('a', { last: 4 }), entry(4), own)],
    ['prunes', (loops, own) => loops.prune('a', 2, 0, own)],
  ])('%s nothing', async (_verb, write) => {
    const shared = database();
    const loops = await filled(shared);
    const own = await raiseGeneration(shared);
    await raiseGeneration(shared);
    await expect(write(loops, own)).rejects.toThrow(StaleGeneration);
    expect(await loops.find('a')).toEqual(loop('a', { last: 3, cursor: '3' }));
    expect(await numbers(loops)).toEqual([1, 2, 3]);
    await write(loops, own + 1);
    expect([await loops.find('a'), await numbers(loops)]).not.toEqual([
      loop('a', { last: 3, cursor: '3' }),
      [1, 2, 3],
    ]);
  });

  test('removes no loop that is forgotten either; the one that acts does', async () => {
    const shared = database();
    const clock = new VirtualClock();
    await filled(shared, clock);
    const own = await raiseGeneration(shared);
    await raiseGeneration(shared);
    await clock.advance(8 * DAY);
    const next = new IdbLoops(clock, shared);
    await expect(next.save(loop('c'), own)).rejects.toThrow(StaleGeneration);
    expect(await keysIn(shared, 'loops')).toEqual(['a', 'b']);
    await next.save(loop('c'), own + 1);
    expect(await keysIn(shared, 'loops')).toEqual(['c']);
    expect(await keysIn(shared, 'feeds')).toEqual([]);
  });
});

test('loops that are forgotten are looked for once a day', async () => {
  const shared = database();
  const clock = new VirtualClock();
  const loops = await filled(shared, clock);
  await put(shared, 'loops', {
    key: 'd',
    record: loop('d'),
    log: { first: 1, sizes: [] },
    usedAt: clock.now() - 30 * DAY,
  });
  await clock.advance(DAY - 1);
  await loops.save(loop('b', { last: 1 }), null);
  expect(await keysIn(shared, 'loops')).toEqual(['a', 'b', 'd']);
  await clock.advance(1);
  await loops.save(loop('b', { last: 1 }), null);
  expect(await keysIn(shared, 'loops')).toEqual(['a', 'b']);
});

/** A loop as it lies in the database, but for the damage. */
function whole(differing: object): object {
  const log = { first: 1, sizes: [10, 10, 10] };
  return { record: loop('a', { last: 3 }), log, usedAt: 0, ...differing };
}

describe('a damaged record', () => {
  const damages: [string, object][] = [
    ['nothing but its key', {}],
    ['a cursor that is a number', whole({ record: { ...loop('a'), cursor: 3 } })],
    ['a time that is none', whole({ record: { ...loop('a'), notBefore: Number.NaN } })],
    ['failures below zero', whole({ record: { ...loop('a'), failures: -1 } })],
    ['a failure that is text', whole({ record: { ...loop('a'), failure: 'network' } })],
    ['no log', whole({ record: { ...loop('a'), log: undefined } })],
    ['sizes that are text', whole({ log: { first: 1, sizes: ['10', '10', '10'] } })],
    ['what all have taken that is no number', whole({ record: { ...loop('a'), acknowledged: 'all' } })],
    [
      'answers that leave at no time',
      whole({ log: { first: 1, sizes: [10], leaving: { upTo: 1, at: null } } }),
    ],
    ['a log that starts nowhere', whole({ log: { first: 0, sizes: [] } })],
    ['no time of its last use', whole({ usedAt: undefined })],
  ];

  test.each(damages)(
    'with %s is not there, and goes with its entries; the rest stays',
    async (_how, value) => {
      const shared = database();
      const loops = await filled(shared);
      await put(shared, 'loops', { ...value, key: 'a' });
      expect(await loops.find('a')).toBeNull();
      expect(await keysIn(shared, 'loops')).toEqual(['b']);
      expect(await keysIn(shared, 'feeds')).toEqual([['b', 1]]);
    },
  );

  test('is in nobody’s way: a new log begins in its place', async () => {
    const shared = database();
    const loops = await filled(shared);
    await put(shared, 'loops', { key: 'a' });
    expect(await loops.append(loop('a', { last: 1 }), entry(1), null)).toBe(1);
    expect(await numbers(loops)).toEqual([1]);
  });

  test('goes with those that are forgotten', async () => {
    const shared = database();
    await filled(shared);
    await put(shared, 'loops', { key: 'a' });
    await new IdbLoops(new VirtualClock(), shared).save(loop('b', { last: 1 }), null);
    expect(await keysIn(shared, 'loops')).toEqual(['b']);
    expect(await keysIn(shared, 'feeds')).toEqual([['b', 1]]);
  });

  test('that was made whole again meanwhile stays', async () => {
    const shared = database();
    const loops = await filled(shared);
    await put(shared, 'loops', { key: 'a' });
    const finding = loops.find('a');
    const saving = loops.save(loop('a', { cursor: 'new' }), null);
    expect(await finding).toBeNull();
    await saving;
    expect(await loops.find('a')).toEqual(loop('a', { cursor: 'new' }));
  });
});

describe('a damaged entry', () => {
  test.each<[string, object]>([
    ['no outcome', { outcome: undefined }],
    ['an outcome of another kind', { outcome: { kind: 'queued' } }],
    ['an answer without a body', { outcome: { ...entry(2).outcome, answer: { status: 200, headers: [] } } }],
    ['a failure without a code', { outcome: { kind: 'failed', failure: {}, answer: null, request: null } }],
    ['a size that is text', { size: '10' }],
    ['a time that is text', { receivedAt: 'now' }],
  ])('with %s goes with those before it, so that nobody passes over it', async (_how, damage) => {
    const shared = database();
    const loops = await filled(shared);
    await put(shared, 'feeds', { ...entry(2), ...damage, key: 'a' });
    expect(await numbers(loops, 'a', 1, 1)).toEqual([3]);
    expect(await keysIn(shared, 'feeds')).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    expect(await loops.append(loop('a', { last: 4 }), entry(4), null)).toBe(3);
  });

  test.each([
    [2.5, []],
    ['second', [1, 2, 3]],
    [-1, [1, 2, 3]],
  ])('of number %s goes, and of the others %j stay', async (n, kept) => {
    const shared = database();
    const loops = await filled(shared);
    await put(shared, 'feeds', { ...entry(1), offset: n, key: 'a' });
    expect(await numbers(loops, 'a', -2)).toEqual(kept);
    expect(await keysIn(shared, 'feeds')).not.toContainEqual(['a', n]);
    expect(await loops.find('a')).toEqual(loop('a', { last: 3, cursor: '3' }));
  });

  test('where its record is gone goes with the others', async () => {
    const shared = database();
    const loops = await filled(shared);
    await put(shared, 'feeds', { key: 'c', offset: 1 });
    expect(await numbers(loops, 'c')).toEqual([]);
    expect(await keysIn(shared, 'feeds')).not.toContainEqual(['c', 1]);
  });
});

/** Four answers of 100 bytes beside the feeds, `d` the least recently received. */
async function full(): Promise<[FullDatabase, IdbResponses, IdbLoops]> {
  const shared = new FullDatabase();
  const answers = new IdbResponses(new FakeSystem(), shared);
  for (const [index, key] of ['d', 'c', 'b', 'a'].entries())
    await answers.update(key, replaceBy(record(key, 100, { receivedAt: index })));
  return [shared, answers, await filled(shared)];
}

describe('when the browser has no more room', () => {
  test('half of the answers give way to a feed, and it is tried once more', async () => {
    const [shared, answers, loops] = await full();
    shared.refusals.push(true);
    expect(await loops.append(loop('a', { last: 4 }), entry(4), null)).toBe(1);
    expect(await numbers(loops)).toEqual([1, 2, 3, 4]);
    expect(await answers.usage()).toEqual({ entries: 2, bytes: 200 });
    expect(await answers.find('d')).toBeNull();
  });

  test('an answer that had to wait for that takes the place of none that was stored meanwhile', async () => {
    const [shared, , loops] = await full();
    shared.refusals.push(true);
    const late = loops.append(loop('a', { last: 4, cursor: '4' }), entry(4), null).catch(String);
    // Who has given that up has asked again, from where it was.
    await loops.append(loop('a', { last: 4, cursor: '5' }), entry(4, 11), null);
    expect(await late).toContain('meanwhile');
    expect(await loops.find('a')).toMatchObject({ last: 4, cursor: '5' });
    expect((await loops.entries('a', 0, 10)).map(({ size }) => size)).toEqual([10, 10, 10, 11]);
  });

  test('more give way to a large entry', async () => {
    const [shared, answers, loops] = await full();
    shared.refusals.push(true);
    await loops.append(loop('a', { last: 4 }), entry(4, 1_000), null);
    expect(await answers.usage()).toEqual({ entries: 0, bytes: 0 });
  });

  test('the second refusal is final, and nothing is stored', async () => {
    const [shared, answers, loops] = await full();
    shared.refusals.push(true, false, false, true);
    await expect(loops.append(loop('a', { last: 4 }), entry(4), null)).rejects.toThrow('full');
    expect(await loops.find('a')).toEqual(loop('a', { last: 3, cursor: '3' }));
    expect(await numbers(loops)).toEqual([1, 2, 3]);
    expect(await answers.usage()).toEqual({ entries: 2, bytes: 200 });
  });

  test('answers that need room take nothing from feeds', async () => {
    const [shared, answers, loops] = await full();
    shared.refusals.push(true);
    await answers.update('new', replaceBy(record('new', 1_000)));
    expect(await answers.usage()).toEqual({ entries: 1, bytes: 1_000 });
    expect(await numbers(loops)).toEqual([1, 2, 3]);
  });
});

/** Writes to those stores, slowly, until `work` is done; resolves with whether it was done meanwhile. */
async function besideWriting(
  shared: Database,
  stores: readonly StoreName[],
  work: () => Promise<unknown>,
): Promise<boolean> {
  const state = { isDone: false };
  const writing = shared.transact(stores, 'readwrite', async (transaction) => {
    const store = transaction.objectStore(stores[0] ?? 'meta');
    for (let turn = 0; turn < 1_000 && !state.isDone; turn += 1) await store.getKey(0);
    return state.isDone;
  });
  await work();
  state.isDone = true;
  return writing;
}

test('answers are read, and loops found, while a feed is being written', async () => {
  const shared = database();
  const loops = await filled(shared);
  const answers = new IdbResponses(new FakeSystem(), shared);
  await answers.update('a', replaceBy(record('a')));
  const works = [() => answers.find('a'), () => answers.body(record('a')), () => loops.find('b')];
  for (const work of works) expect(await besideWriting(shared, ['feeds', 'meta'], work)).toBe(true);
});

test('a feed is written and read while answers are being read or replaced', async () => {
  const shared = database();
  const loops = await filled(shared);
  const works = [() => loops.append(loop('a', { last: 4 }), entry(4), null), () => loops.entries('a', 0, 10)];
  for (const work of works) expect(await besideWriting(shared, ['responses', 'bodies'], work)).toBe(true);
});
