import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { isSameRevision } from '../../shared/outcome.ts';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { FULL, nth, Stage } from './write-stage.fixture.ts';

test('what waits is found as if it were stored, and then is', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  const stored = stage.order(nth('a', 1));
  for (const _ of ['waiting', 'being written']) {
    expect(stage.behind.find('a')).toEqual({ kind: 'found', value: nth('a', 1) });
    expect(stage.behind.body(nth('a', 1))?.byteLength).toBe(3);
    expect(stage.behind.body(nth('a', 2))).toBeNull();
    await settle();
  }
  expect(await stateOf(stored)).toBe('pending');
  stage.open();
  expect(await stored).toBe(true);
  await settle();
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, nth('a', 1)]);
});

test('one transaction is out at a time, the newest first, and of each answer only the newest', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('first', 1));
  await settle();
  for (let n = 0; n < 200; n += 1) void stage.order(nth(`${n}`, 1));
  void stage.order(nth('0', 2));
  await settle();
  expect(stage.batches).toEqual([['first']]);
  stage.open();
  await stage.behind.settled();
  expect(stage.batches.slice(1).map(({ length }) => length)).toEqual([128, 64, 8]);
  expect(stage.batches[1]?.slice(0, 3)).toEqual(['0', '199', '198']);
  expect((await stage.place.find('0'))?.revision.number).toBe(2);
  expect(LIMITS.written).toBe(64);
});

test('while more answers come than are written, transactions are larger, and small again afterwards', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  for (let n = 0; n < 64; n += 1) void stage.order(nth(`first ${n}`, 1, 0));
  await settle();
  for (let n = 0; n < 300; n += 1) void stage.order(nth(`${n}`, 1, 0));
  stage.open();
  await stage.behind.settled();
  expect(stage.batches.map(({ length }) => length)).toEqual([64, 128, 64, 64, 44]);
});

test('a transaction that takes long is followed by smaller ones, so that pages wait for none', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  for (const written of [64, 32, 16, 8, 8]) {
    for (let n = 0; n < written; n += 1) void stage.order(nth(`${n}`, 1, 0));
    await settle();
    expect(stage.batches.at(-1)).toHaveLength(written);
    await stage.clock.advance(33);
    stage.open();
    await stage.behind.settled();
    stage.isOpen = false;
  }
  // More wait now than the fewest that a transaction writes.
  for (let n = 0; n < 12; n += 1) void stage.order(nth(`${n}`, 2, 0));
  await settle();
  expect(stage.batches.at(-1)).toHaveLength(8);
});

test('a transaction is bounded in bytes, but for an answer that is larger', async () => {
  const stage = new Stage();
  for (const key of ['a', 'b', 'c', 'd'])
    void stage.order(nth(key, 1, key === 'b' ? 2 * LIMITS.writtenSize : 100_000));
  await stage.behind.settled();
  expect(stage.batches).toEqual([['d', 'c'], ['b'], ['a']]);
});

test('between two transactions, a page that speaks goes first', async () => {
  const stage = new Stage();
  for (const key of ['a', 'b']) void stage.order(nth(key, 1, LIMITS.writtenSize));
  stage.foreground.note();
  await settle();
  expect(stage.batches).toEqual([['b']]);
  await stage.clock.advance(24);
  expect(stage.batches).toEqual([['b']]);
  await stage.clock.advance(1);
  expect(stage.batches).toEqual([['b'], ['a']]);
});

test('nothing is lost for that, though a page speaks all the time and has 50 MB come at 8 MB a second', async () => {
  const stage = new Stage();
  for (let n = 1; n <= 250; n += 1) {
    void stage.order(nth(`photo ${n}`, 1, 200_000));
    stage.foreground.note();
    await stage.clock.advance(12);
    stage.foreground.note();
    await stage.clock.advance(12);
  }
  expect(stage.lost).toEqual([]);
});

test('what builds on what waits is written after it', async () => {
  const stage = new Stage();
  void stage.order(nth('a', 1));
  void stage.order(nth('a', 2), {
    follows: true,
    decide: (current) =>
      current && isSameRevision(current.revision, nth('a', 1).revision)
        ? { kind: 'describe', stored: nth('a', 2) }
        : { kind: 'keep' },
  });
  await stage.behind.settled();
  expect([stage.batches, await stage.place.find('a')]).toEqual([[['a']], nth('a', 2)]);
});

test('what cannot be stored goes with what is older, and leaves what is newer and all else alone', async () => {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  await stage.order(nth('c', 9));
  stage.fails = (batch) => (batch.some(({ stored }) => stored && stored.key !== 'b') ? FULL : null);
  const stored = ['a', 'b', 'c'].map((key) => stage.order(nth(key, 2)));
  expect(await Promise.all(stored)).toEqual([false, true, false]);
  await stage.behind.settled();
  expect(stage.lost.toSorted()).toEqual(['a', 'c']);
  expect([await stage.place.find('a'), await stage.place.find('c')]).toEqual([null, nth('c', 9)]);
  expect(await stage.place.find('b')).toEqual(nth('b', 2));
});

test('what is older than what could not be stored is not found, and is removed once the database writes again', async () => {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  stage.fails = () => FULL;
  expect(await stage.order(nth('a', 2))).toBe(false);
  await stage.behind.settled();
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([{ kind: 'absent' }, nth('a', 1)]);
  stage.fails = () => null;
  await stage.order(nth('b', 1));
  await settle();
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, null]);
});

test('a newer answer takes the place of one that is outdated', async () => {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  stage.fails = () => FULL;
  await stage.order(nth('a', 2));
  await stage.behind.settled();
  stage.fails = () => null;
  expect(await stage.order(nth('a', 3))).toBe(true);
  await settle();
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, nth('a', 3)]);
});

test('nothing is outdated in a database that was emptied', async () => {
  const stage = new Stage();
  stage.fails = () => FULL;
  await stage.order(nth('a', 2));
  await settle();
  expect(stage.behind.find('a')).toEqual({ kind: 'absent' });
  await stage.behind.clear(() => stage.place.clear());
  expect(stage.behind.find('a')).toBeNull();
});

test('what is known to be outdated is bounded in number', async () => {
  const stage = new Stage();
  stage.fails = () => FULL;
  for (let n = 0; n <= LIMITS.outdated; n += 1) void stage.order(nth(`${n}`, 1));
  await stage.behind.settled();
  const absent = Array.from({ length: LIMITS.outdated + 1 }, (_, n) => stage.behind.find(`${n}`)).filter(
    Boolean,
  );
  expect(absent).toHaveLength(LIMITS.outdated);
});

test('what fails does not take the newer answer with it that was told meanwhile', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('a', 1));
  await settle();
  const newer = stage.order(nth('a', 2));
  stage.fails = ([first]) => (first?.stored?.revision.number === 1 ? FULL : null);
  stage.open();
  expect([await newer, await stage.place.find('a')]).toEqual([true, nth('a', 2)]);
});

test('a database that is late is written to again, with what is newest then; nobody waits for that', async () => {
  const stage = new Stage();
  stage.fails = () => new DatabaseLate('late');
  expect(await stage.order(nth('a', 1))).toBe(false);
  await stage.behind.settled();
  void stage.order(nth('a', 2));
  void stage.order(nth('b', 1));
  await stage.clock.advance(7_500);
  expect(stage.batches.length).toBeGreaterThan(2);
  expect(stage.behind.find('a')).toEqual({ kind: 'found', value: nth('a', 2) });
  stage.fails = () => null;
  await stage.clock.advance(10_000);
  expect([await stage.place.find('a'), await stage.place.find('b')]).toEqual([nth('a', 2), nth('b', 1)]);
  expect(stage.lost).toEqual([]);
});

test('what waits is bounded in bytes: what was told longest ago is lost, and what is stored of it goes', async () => {
  const stage = new Stage();
  await stage.order(nth('0', 1));
  stage.isOpen = false;
  void stage.order(nth('busy', 1));
  await settle();
  const size = LIMITS.waitingSize / 8;
  const stored = Array.from({ length: 10 }, (_, n) => stage.order(nth(`${n}`, 2, size)));
  expect(stage.lost).toEqual(['0', '1', '2']);
  expect(stage.behind.find('0')).toEqual({ kind: 'absent' });
  stage.open();
  expect(await Promise.all(stored)).toEqual([false, false, false, ...Array.from({ length: 7 }, () => true)]);
  await stage.behind.settled();
  expect([await stage.place.find('0'), await stage.place.find('9')]).toEqual([null, nth('9', 2, size)]);
});

test('what waits is among the keys in its place, be it written before or after they are read', async () => {
  const stage = new Stage();
  for (const key of ['b', 'd', 'f']) await stage.order(nth(key, 1));
  stage.isOpen = false;
  void stage.order(nth('c', 1));
  await settle();
  for (const key of ['a', 'e', 'g']) void stage.order(nth(key, 1));
  const all = async (): Promise<string[]> => {
    const keys: string[] = [];
    let last: string | null = null;
    for (;;) {
      const slice: string[] = await stage.behind.keys(last, 2, () => stage.place.keys(last, 2));
      if (slice.length === 0) return keys;
      keys.push(...slice);
      last = slice.at(-1) ?? null;
    }
  };
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(await all()).toEqual(letters);
  const whileWritten = stage.behind.keys(null, 100, async () => {
    const before = await stage.place.keys();
    stage.open();
    await stage.behind.settled();
    return before;
  });
  expect([await whileWritten, await all()]).toEqual([letters, letters]);
});
