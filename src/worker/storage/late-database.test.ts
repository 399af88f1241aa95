import { LIMITS } from '../../shared/limits.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isSameRevision } from '../../shared/outcome.ts';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { METADATA } from './response-record.ts';
import type { Decide } from './response-record.ts';
import type { Order, Waiting } from './waiting.ts';
import { FULL, nth, Stage } from './write-stage.fixture.ts';

/** Collects the heap. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') Reflect.apply(gc, null, []);
}

test('an answer that changes as long as the database is late is stored once it is not, however often that was', async () => {
  const stage = new Stage();
  stage.fails = () => new DatabaseLate('late');
  void stage.order(nth('a', 1));
  for (let n = 2; n <= 50_000; n += 1) {
    void stage.order(nth('a', n));
    if (n % 1_000 === 0) await stage.clock.advance(10_000);
  }
  stage.fails = () => null;
  await stage.clock.advance(60_000);
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, nth('a', 50_000)]);
});

test('an answer that has been given up for a newer one while the database is late is not kept in memory', async () => {
  const stage = new Stage();
  stage.fails = () => new DatabaseLate('late');
  const givenUp: WeakRef<object>[] = [];
  for (let n = 1; n <= 20; n += 1) {
    const stored = nth('a', n);
    givenUp.push(new WeakRef(stored));
    void stage.order(stored);
    await stage.clock.advance(5_000);
  }
  await settle();
  collect();
  expect(givenUp.filter((each) => each.deref()).length).toBeLessThanOrEqual(1);
});

test('all that is given up for one answer in one go is told as that is: stored with it, or lost with it', async () => {
  for (const isStored of [true, false]) {
    const stage = new Stage();
    stage.fails = ([first]) => (isStored || !first?.stored ? null : FULL);
    const told = Array.from({ length: 3 }, (_, n) => stage.order(nth('a', n + 1)));
    expect(await Promise.all(told)).toEqual([isStored, isStored, isStored]);
  }
});

test('an answer larger than all that may wait is stored, and takes nothing along that waits beside it', async () => {
  const stage = new Stage();
  const large = nth('large', 1, LIMITS.waitingSize + 1_000_000);
  const told = [stage.order(nth('small', 1)), stage.order(large), stage.order(nth('later', 1))];
  expect(await Promise.all(told)).toEqual([true, true, true]);
  expect([await stage.place.find('small'), await stage.place.find('large')]).toEqual([
    nth('small', 1),
    large,
  ]);
});

test('of two such answers that wait the later one is stored, so that they do not add up', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('busy', 1));
  await settle();
  const told = ['first', 'second'].map((key) => stage.order(nth(key, 1, LIMITS.waitingSize + 1)));
  expect(await stateOf(Promise.all(told))).toBe('pending');
  stage.open();
  expect(await Promise.all(told)).toEqual([false, true]);
  expect(stage.lost).toEqual(['first']);
});

test('an answer of that size that a late database did not take gives way to one that was told since', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  stage.fails = () => new DatabaseLate('late');
  void stage.order(nth('first', 1, LIMITS.waitingSize + 1));
  await settle();
  void stage.order(nth('second', 1, LIMITS.waitingSize + 1));
  stage.open();
  await settle();
  stage.fails = () => null;
  await stage.clock.advance(30_000);
  expect([await stage.place.find('first'), (await stage.place.find('second'))?.size]).toEqual([
    null,
    LIMITS.waitingSize + 1,
  ]);
});

test('changes of one answer that wait for each other are no more bytes than all may have together', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('busy', 1));
  await settle();
  const size = LIMITS.waitingSize / 4;
  const steps: Waiting[] = [];
  stage.fails = ([first]) => {
    if (first) steps.push(first);
    return null;
  };
  for (let n = 1; n <= 6; n += 1) void stage.order(nth('a', n, size), { follows: n > 1 });
  stage.open();
  await stage.behind.settled();
  expect(steps.map(({ orders }) => orders.length)).toEqual([1, 3]);
  expect(await stage.place.find('a')).toEqual(nth('a', 6, size));
});

test('an answer that makes room for others each time that it changes is told as lost, however often that was', async () => {
  const stage = new Stage();
  stage.fails = () => new DatabaseLate('late');
  void stage.order(nth('b', 1));
  await settle();
  const body = new ArrayBuffer(LIMITS.waitingSize - METADATA);
  const told = [];
  for (let n = 1; n <= 60_000; n += 1) {
    told.push(stage.order(nth('a', n)));
    void stage.order(nth('b', n + 1), { body });
  }
  stage.fails = () => null;
  await stage.clock.advance(60_000);
  expect(new Set(await Promise.all(told))).toEqual(new Set([false]));
});

test('nobody waits for a database that is late: what waits, and what is ordered then, will not be stored soon', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  stage.fails = () => new DatabaseLate('late');
  const writing = stage.order(nth('a', 1));
  await settle();
  const waiting = stage.order(nth('b', 1));
  stage.open();
  expect(await Promise.all([writing, waiting])).toEqual([false, false]);
  expect(await stage.order(nth('c', 1))).toBe(false);
  stage.fails = () => null;
  await stage.clock.advance(30_000);
  expect(await stage.place.find('c')).toEqual(nth('c', 1));
  expect(await stage.order(nth('d', 1))).toBe(true);
});

/** What a 304 orders for the nth answer. */
function description(n: number): Partial<Order> {
  const stored = { ...nth('a', n), receivedAt: 2_000 };
  const decide: Decide = (current) =>
    current && isSameRevision(current.revision, stored.revision)
      ? { kind: 'describe', stored }
      : { kind: 'keep' };
  return { stored, body: null, follows: true, decide };
}

/** The second answer is being written over the first, and is described meanwhile. */
async function written(): Promise<{ readonly stage: Stage; readonly told: readonly Promise<boolean>[] }> {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  stage.isOpen = false;
  const answer = stage.order(nth('a', 2));
  await settle();
  return { stage, told: [answer, stage.order(nth('a', 2), description(2))] };
}

test('an answer that is described while it is written has its bytes all along', async () => {
  const { stage } = await written();
  expect(stage.behind.find('a')).toEqual({ kind: 'found', value: description(2).stored });
  expect(stage.behind.body(nth('a', 2))?.byteLength).toBe(3);
});

test('an answer that a late database did not take is stored later with what described it meanwhile', async () => {
  const { stage, told } = await written();
  stage.fails = () => new DatabaseLate('late');
  stage.open();
  expect(await Promise.all(told)).toEqual([false, false]);
  expect(stage.behind.body(nth('a', 2))?.byteLength).toBe(3);
  stage.fails = () => null;
  await stage.clock.advance(60_000);
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, description(2).stored]);
  expect(stage.lost).toEqual([]);
});

test('an answer that cannot be stored goes with what described it meanwhile, and with what is older', async () => {
  const { stage, told } = await written();
  stage.fails = (batch) => (batch.some(({ body }) => body) ? FULL : null);
  stage.open();
  expect(await Promise.all(told)).toEqual([false, false]);
  await settle();
  expect([stage.behind.find('a'), await stage.place.find('a')]).toEqual([null, null]);
  expect(stage.lost).toEqual(['a', 'a']);
});

test('a newer answer that is told meanwhile needs none of that', async () => {
  for (const failure of [new DatabaseLate('late'), FULL]) {
    const { stage } = await written();
    void stage.order(nth('a', 3));
    stage.fails = (batch) => (batch.some(({ stored }) => stored?.revision.number === 2) ? failure : null);
    stage.open();
    await stage.clock.advance(60_000);
    expect(await stage.place.find('a')).toEqual(nth('a', 3));
  }
});

test('what is ordered once a late database answers again is told when it is stored', async () => {
  const stage = new Stage();
  const again = new AbortController();
  stage.fails = () => new DatabaseLate('late', { again: again.signal });
  expect(await stage.order(nth('a', 1))).toBe(false);
  expect(await stage.order(nth('b', 1))).toBe(false);
  stage.fails = () => null;
  again.abort();
  expect(await stage.order(nth('c', 1))).toBe(true);
  expect([await stage.place.find('a'), await stage.place.find('b')]).toEqual([nth('a', 1), nth('b', 1)]);
});
