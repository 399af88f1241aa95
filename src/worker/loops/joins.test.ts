import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { Again } from '../../shared/protocol.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Lives } from './lives.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { every } from './stage.fixture.ts';

const STORED = answered({ servedFrom: 'cache', revision: { lineage: 'a', number: 7 } });

function overdue(overdueBy: number): Again {
  return { revision: null, overdueBy };
}

/** A poll of 10 s whose server asks for a minute of patience, and whose worker is killed after the first failure, or then. */
async function failing(
  outcome: Outcome = refused(503, [['Retry-After', '60']]),
  until = 300,
): Promise<Lives> {
  const lives = new Lives();
  lives.reply = () => ({ after: 0, outcome });
  lives.join('anna', { pace: every(10_000) });
  await lives.clock.advance(until);
  lives.kill();
  lives.told.length = 0;
  return lives;
}

describe('the patience of a worker that was killed', () => {
  test('is that of the next, for the page that declares its loop again', async () => {
    const lives = await failing();
    lives.join('anna', { pace: every(10_000), again: overdue(0) });
    await lives.clock.advance(58_000);
    expect(lives.times).toEqual([0]);
    expect([lives.heardBy('anna'), lives.inspect()]).toEqual([[], expect.objectContaining({ failures: 1 })]);
    await lives.clock.advance(10_000);
    expect(lives.times).toHaveLength(2);
  });

  test('is that of the next for pages that are new, each of which is told at once what there is, and why', async () => {
    const lives = await failing();
    lives.newest = STORED;
    lives.join('bert', { pace: every(10_000) });
    lives.join('cleo', { pace: every(10_000) });
    await settle();
    lives.join('dora', { pace: every(10_000) });
    await lives.clock.advance(50_000);
    expect(lives.times).toEqual([0]);
    for (const page of ['bert', 'cleo', 'dora']) expect(lives.heardBy(page)).toEqual([null, 'http']);
  });

  test('holds though what was stored stood for the failure', async () => {
    const lives = await failing(answered({ stale: true, servedFrom: 'cache' }), 8_000);
    lives.random = 0.9;
    lives.join('bert', { pace: every(10_000) });
    await settle();
    lives.join('cleo', { pace: every(10_000) });
    await lives.clock.advance(5_000);
    expect(lives.times).toEqual([0, 1_300, 7_300]);
    void lives.wakeUp();
    await lives.clock.advance(4_500);
    expect(lives.times).toEqual([0, 1_300, 7_300, 17_300]);
  });

  test.each([
    ['an hour', 3_600_000],
    ['a day', 86_400_000],
  ])('is no longer than it was when the clock is set back by %s meanwhile', async (_, by) => {
    const lives = await failing();
    lives.clock.set(-by);
    lives.join('anna', { pace: every(10_000), again: overdue(0) });
    await lives.clock.advance(61_000);
    expect(lives.times).toEqual([0]);
    await lives.clock.advance(2_000);
    expect(lives.times).toHaveLength(2);
  });

  test('ends where the network is back, if it was cut off', async () => {
    const lives = await failing(failed('offline'));
    lives.join('anna', { pace: every(10_000), again: overdue(0) });
    await settle();
    lives.random = 0;
    void lives.wakeUp();
    await settle();
    expect(lives.times).toEqual([0, 300]);
  });

  test('is known to have ended to the next life, too, by the time that the page is answered', async () => {
    const lives = await failing(failed('offline'));
    lives.seen = (store) => {
      const save = store.save.bind(store);
      const late: LoopStore['save'] = async (...args) => {
        await lives.clock.sleep(1_500);
        return save(...args);
      };
      return Object.assign(store, { save: late });
    };
    lives.join('anna', { pace: every(10_000), again: overdue(0) });
    await settle();
    lives.random = 0;
    lives.reply = () => ({ after: 60_000, outcome: answered() });
    const notBefore = async (): Promise<unknown> => (await lives.stored.find('key'))?.notBefore;
    const [before, now] = [await notBefore(), lives.clock.now()];
    let isAnswered = false;
    void lives.wakeUp().then(() => (isAnswered = true));
    await lives.clock.advance(1_499);
    expect([isAnswered, await notBefore()]).toEqual([false, before]);
    await lives.clock.advance(1);
    expect([isAnswered, await notBefore()]).toEqual([true, now]);
    expect(before).toBeGreaterThan(now);
  });

  test('is known to have ended to the next life, too, where this one has to begin to act for that', async () => {
    const lives = await failing(failed('offline'));
    lives.generation = null;
    lives.join('anna', { pace: every(10_000), again: overdue(0) });
    await settle();
    lives.acts = async () => {
      lives.generation = 2;
    };
    lives.random = 0;
    lives.reply = () => ({ after: 60_000, outcome: answered() });
    expect([await lives.wakeUp(), lives.generation]).toEqual([true, 2]);
    expect((await lives.stored.find('key'))?.notBefore).toBe(lives.clock.now());
  });

  test('is that which its page knows, where it died before it was stored', async () => {
    const lives = new Lives();
    const again = { ...overdue(0), last: 'cut-off' } as const;
    lives.reply = () => ({ after: 0, outcome: answered() });
    lives.join('anna', { pace: every(60_000), firstIn: 300_000, again });
    await lives.clock.advance(1_000);
    expect(lives.inspect()).toMatchObject({ failures: 0, requests: 0 });
    lives.random = 0;
    void lives.wakeUp();
    await settle();
    expect(lives.times).toEqual([1_000]);
  });

  test('ends for a page that comes second with it, too', async () => {
    const lives = new Lives();
    const again = { ...overdue(0), last: 'cut-off' } as const;
    lives.reply = () => ({ after: 0, outcome: answered() });
    lives.join('anna', { pace: every(60_000), firstIn: 300_000, again: overdue(0) });
    await settle();
    lives.join('bert', { pace: every(60_000), firstIn: 300_000, again });
    await lives.clock.advance(1_000);
    lives.random = 0;
    void lives.wakeUp();
    await settle();
    expect(lives.times).toEqual([1_000]);
  });

  test('that no worker has stored holds up no page that is new', async () => {
    const lives = new Lives();
    lives.reply = () => ({ after: 0, outcome: answered() });
    lives.join('anna', { pace: every(60_000), firstIn: 300_000, again: { ...overdue(0), last: 'cut-off' } });
    await lives.clock.advance(1_000);
    lives.join('bert', { pace: every(60_000) });
    await settle();
    expect(lives.times).toEqual([1_000]);
  });

  test.each(['first', 'second'])('is nothing to the %s page that restarts the loop', async (which) => {
    const lives = await failing();
    if (which === 'second') lives.join('bert', { pace: every(10_000) });
    lives.join('anna', { pace: every(10_000), restart: true, again: overdue(0) });
    await settle();
    expect(lives.times).toEqual([0, 300]);
  });

  test.each(['restart', 'wakeUp'])('is forgotten with the answer after a %s', async (how) => {
    const lives = await failing(failed('network'));
    lives.join('anna', { pace: every(10_000), again: overdue(0), restart: how === 'restart' });
    await settle();
    lives.reply = () => ({ after: 0, outcome: answered() });
    if (how === 'wakeUp') void lives.wakeUp();
    await lives.clock.advance(30_000);
    expect(await lives.stored.find('key')).toMatchObject({ failures: 0, notBefore: 0, failure: null });
  });

  test('is stored before the loop sleeps, without the body of the answer', async () => {
    const failure = { code: 'http', message: 'no', status: 503, body: 'private' } as const;
    const lives = await failing({ ...refused(503, [['Retry-After', '60']]), failure });
    expect(await lives.stored.find('key')).toMatchObject({
      failures: 1,
      notBefore: lives.clock.now() - 300 + 62_500,
      failure: { code: 'http', status: 503, body: null },
    });
  });

  test('is not changed by an abort', async () => {
    const lives = new Lives();
    lives.reply = (nth) => ({ after: nth === 1 ? 0 : 1_000, outcome: refused(500) });
    const anna = lives.join('anna', { pace: every(10_000) });
    await lives.clock.advance(1_500);
    anna.cut();
    await settle();
    expect(lives.heardBy('anna')).toEqual(['http', 'aborted']);
    expect(await lives.stored.find('key')).toMatchObject({ failures: 1, failure: { code: 'http' } });
  });
});

describe('a loop that is well', () => {
  test('stores nothing', async () => {
    const lives = new Lives();
    lives.join('anna');
    await lives.clock.advance(5_000);
    expect(await lives.stored.find('key')).toBeNull();
  });

  test('again is no failure to a page that comes then, though its answer is nothing new', async () => {
    const lives = new Lives();
    lives.reply = (nth) => ({
      after: nth === 1 ? 0 : 20_000,
      outcome: nth === 1 ? refused(500) : answered({ status: 204 }),
    });
    lives.join('anna', { pace: { kind: 'long-poll' } });
    await lives.clock.advance(60_000);
    lives.join('bert', { pace: { kind: 'long-poll' } });
    await settle();
    expect([lives.heardBy('anna'), lives.heardBy('bert')]).toEqual([['http'], []]);
  });

  test('asks anew where its server holds a request and what was stored is gone, for a page that comes', async () => {
    const lives = new Lives();
    const state = { ...answered(), revision: { lineage: 'a', number: 1 } };
    // Every second is held.
    lives.reply = (nth) =>
      nth % 2 === 0 ? { after: 20_000, outcome: answered({ status: 204 }) } : { after: 0, outcome: state };
    lives.join('anna', { pace: { kind: 'long-poll' } });
    await lives.clock.advance(1_000);
    lives.join('bert', { pace: { kind: 'long-poll' } });
    await lives.clock.advance(1_000);
    expect(lives.heardBy('bert')).toHaveLength(1);
  });

  test.each([
    ['without an answer is told at once what is stored', undefined, 1],
    [
      'that has what is stored is not told it again',
      { revision: { lineage: 'a', number: 7 }, overdueBy: 0 },
      0,
    ],
  ])('and holds its requests: a page that restarts it %s', async (_what, again, ticks) => {
    const lives = new Lives();
    lives.newest = STORED;
    lives.reply = () => ({ after: 20_000, outcome: answered({ status: 204 }) });
    lives.join('anna', { pace: { kind: 'long-poll' }, restart: true, ...(again && { again }) });
    await lives.clock.advance(1_000);
    expect(lives.heardBy('anna')).toHaveLength(ticks);
  });

  test('tells nobody that comes of what another page has aborted', async () => {
    const lives = new Lives();
    lives.reply = () => ({ after: 1_000, outcome: answered() });
    const anna = lives.join('anna');
    await lives.clock.advance(500);
    anna.cut();
    await settle();
    lives.join('bert');
    await settle();
    expect(lives.heardBy('bert')).toEqual([]);
  });
});

describe('what an ended worker was late with', () => {
  test('is spread, over half a period at most', async () => {
    const lives = new Lives();
    lives.random = 0.6;
    lives.join('anna', { pace: every(10_000), again: overdue(60_000) });
    await lives.clock.advance(20_000);
    expect(lives.times[0]).toBe(3_000);
  });

  test.each([1, 20])('is drawn once, though %i pages say so', async (pages) => {
    const lives = new Lives();
    for (let page = 0; page < pages; page += 1) {
      lives.random = 0.9 - page / 50;
      lives.join(`page ${page}`, { pace: every(10_000), again: overdue(60_000) });
      if (page > 10) await settle();
    }
    await lives.clock.advance(20_000);
    expect(lives.times[0]).toBe(4_500);
  });

  test('is not where a page comes for the first time', async () => {
    const lives = new Lives();
    lives.random = 0.6;
    lives.join('anna', { pace: every(10_000), again: overdue(60_000) });
    lives.join('bert', { pace: every(10_000) });
    await settle();
    expect(lives.times).toEqual([0]);
  });

  test('does not make the others ask later', async () => {
    const lives = new Lives();
    lives.random = 0.6;
    lives.join('anna', { pace: every(10_000), again: overdue(60_000) });
    lives.join('bert', { pace: every(10_000), again: overdue(0), firstIn: 700 });
    await lives.clock.advance(5_000);
    expect(lives.times).toEqual([700]);
    lives.kill();
    lives.join('anna', { pace: every(10_000), again: overdue(0), firstIn: 2_000 });
    await settle();
    lives.join('bert', { pace: every(10_000), again: overdue(60_000) });
    await lives.clock.advance(3_000);
    expect(lives.times).toEqual([700, 7_000]);
  });
});

test('a loop whose only page leaves before anything is recalled never asks', async () => {
  const lives = new Lives();
  lives.join('anna').leave();
  await lives.clock.advance(10_000);
  expect(lives.times).toEqual([]);
});

test('a storage that does not answer delays the first request by 3 s', async () => {
  const lives = new Lives();
  lives.seen = (store) => ({
    find: () => new Promise(() => {}),
    save: (...record) => store.save(...record),
    append: (...entry) => store.append(...entry),
    entries: (...range) => store.entries(...range),
    prune: (...upTo) => store.prune(...upTo),
  });
  lives.join('anna', { pace: every(10_000) });
  await lives.clock.advance(5_000);
  expect(lives.times).toEqual([3_000]);
});
