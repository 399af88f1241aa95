import { describe, expect, test } from 'vitest';
import type { Again } from '../../shared/protocol.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { at, Feeds, WITH_STATE } from './feeds.fixture.ts';
import { said } from '../feeds/feed.fixture.ts';
import { Lives } from './lives.fixture.ts';
import { every } from './stage.fixture.ts';

const WELL: Again = { revision: null, overdueBy: 0 };
const CUT_OFF: Again = { ...WELL, last: 'cut-off' };
/** Whether a page knows of a failure makes no difference to the other pages. */
const EITHER: readonly (readonly [string, Again])[] = [
  ['a page waits out a failure', CUT_OFF],
  ['no page does', WELL],
];
const STORED = answered({ servedFrom: 'cache', revision: { lineage: 'a', number: 7 } });

describe('while a loop waits out a failure that only a page knows', () => {
  test.each(EITHER)('and %s, a page that is new hears that the network is gone', async (_, again) => {
    const lives = new Lives();
    lives.reply = () => ({ after: 0, outcome: failed('offline') });
    lives.join('anna', { pace: every(60_000), firstIn: 300_000, again });
    await lives.clock.advance(1_000);
    lives.join('bert', { pace: every(60_000) });
    await lives.clock.advance(60_000);
    expect(lives.times.length).toBeGreaterThan(0);
    expect(lives.heardBy('bert')).toEqual(['offline']);
  });

  test.each(EITHER)('and %s, a page that was well hears that the network is gone', async (_, again) => {
    const lives = new Lives();
    lives.reply = () => ({ after: 0, outcome: failed('offline') });
    lives.join('anna', { pace: every(5_000), firstIn: 5_000, again });
    lives.join('bert', { pace: every(5_000), firstIn: 5_000, again: WELL });
    await lives.clock.advance(120_000);
    expect(lives.times.length).toBeGreaterThan(1);
    expect(lives.heardBy('bert')).toEqual(['offline']);
  });

  test.each(EITHER)(
    'and %s, tabs that are opened while the network is gone do not each ask at once',
    async (_, again) => {
      const lives = new Lives();
      lives.reply = () => ({ after: 0, outcome: failed('offline') });
      lives.join('anna', { pace: every(60_000), firstIn: 300_000, again });
      for (let tab = 0; tab < 20; tab += 1) {
        await lives.clock.advance(1_000);
        lives.join(`tab ${tab}`, { pace: every(60_000) });
      }
      await settle();
      // At once, and after 1.3 and 6 s.
      expect(lives.times.length).toBeLessThanOrEqual(3);
    },
  );

  test.each(EITHER)(
    'and %s, a new page of a feed is told the state as soon as the server answers',
    async (_, again) => {
      const feeds = new Feeds();
      feeds.state = async () => said({ last: 1 });
      feeds.join('anna', WITH_STATE);
      await feeds.clock.advance(2_000);
      feeds.takeAll();
      await settle();
      const position = feeds.positionOf('anna');
      feeds.kill();
      feeds.join('anna', { ...WITH_STATE, ...at(position), again, firstIn: 120_000 });
      await feeds.clock.advance(1_000);
      const before = feeds.requests.length;
      feeds.join('bert', WITH_STATE);
      await feeds.clock.advance(10_000);
      // The feed itself was asked for bert's sake.
      expect(feeds.places.slice(before).filter((place) => place !== 'state')).not.toEqual([]);
      expect(feeds.places.slice(before)).toContain('state');
      expect(feeds.heardBy('bert')[0]).toMatch(/^=/);
    },
  );

  test.each([
    ['a page waits out a failure that is long over', CUT_OFF],
    ['no page does', WELL],
  ])(
    'and %s, a new page of a quiet long-poll is not told for good that its answer is stale',
    async (_, again) => {
      const lives = new Lives();
      lives.newest = STORED;
      lives.reply = () => ({ after: 20_000, outcome: answered({ status: 204 }) });
      lives.join('anna', { pace: { kind: 'long-poll' }, again: { ...again, revision: STORED.revision } });
      lives.join('bert', { pace: { kind: 'long-poll' } });
      await lives.clock.advance(600_000);
      const last = lives.told.findLast(({ page, delivery }) => page === 'bert' && delivery.kind === 'tick');
      expect(last?.delivery).toMatchObject({ outcome: { kind: 'answered', stale: false } });
    },
  );

  test.each([
    ['a page with a failure that is long over comes', CUT_OFF],
    ['a page without one comes', WELL],
  ])('where %s, a held request that breaks is told to the page that was there', async (_, again) => {
    const lives = new Lives();
    lives.reply = () => ({ after: 10_000, outcome: failed('network') });
    lives.join('anna', { pace: { kind: 'long-poll' }, again: WELL });
    await lives.clock.advance(5_000);
    lives.join('bert', { pace: { kind: 'long-poll' }, again });
    await lives.clock.advance(120_000);
    expect(lives.heardBy('anna')).toEqual(['network']);
  });
});

describe('the newest word on a failure', () => {
  test.each([
    ['nothing', false],
    ['an earlier failure for another reason', true],
  ])('is the page’s, where the worker before has stored %s', async (_, isStored) => {
    const lives = new Lives();
    if (isStored) {
      lives.reply = () => ({ after: 0, outcome: refused(503) });
      lives.join('anna', { pace: every(60_000) });
      await lives.clock.advance(300);
      lives.kill();
    }
    expect((await lives.stored.find('key'))?.failure?.code).toBe(isStored ? 'http' : undefined);
    await lives.clock.advance(200_000);
    // The next request was cut off, which the worker told before it ended.
    const before = lives.times.length;
    lives.reply = () => ({ after: 0, outcome: answered() });
    lives.join('anna', {
      pace: every(60_000),
      firstIn: 200_000,
      again: CUT_OFF,
      askedAgo: 1_000,
    });
    await lives.clock.advance(10_000);
    lives.random = 0;
    void lives.wakeUp();
    await lives.clock.advance(1_000);
    expect(lives.times.length - before).toBe(1);
  });

  test('is that of the storage, where a page speaks of an earlier one: the server is not asked too early', async () => {
    const lives = new Lives();
    lives.reply = () => ({ after: 0, outcome: refused(503, [['Retry-After', '60']]) });
    lives.join('anna', { pace: every(5_000) });
    await lives.clock.advance(5_000);
    lives.kill();
    lives.join('anna', { pace: every(5_000), firstIn: 1_000, again: CUT_OFF, askedAgo: 20_000 });
    await lives.clock.advance(1_000);
    lives.random = 0;
    void lives.wakeUp();
    await lives.clock.advance(30_000);
    expect(lives.times).toHaveLength(1);
  });

  test.each([
    ['is stored', false],
    ['is told, but not stored', true],
  ])('ends with the answer that %s: the next time that the network is gone is told', async (_, isLost) => {
    const lives = new Lives();
    let saves = 0;
    lives.seen = (store): LoopStore => {
      const save = store.save.bind(store);
      return Object.assign(store, {
        save: (...args: Parameters<LoopStore['save']>) =>
          (saves += 1) > 1 && isLost ? new Promise<void>(() => {}) : save(...args),
      });
    };
    lives.reply = (nth) => ({ after: 0, outcome: nth === 1 ? failed('network') : answered() });
    lives.join('anna', { pace: every(5_000) });
    await lives.clock.advance(2_000);
    expect(lives.heardBy('anna')).toEqual(['network', null]);
    lives.kill();
    lives.told.length = 0;
    lives.seen = (store) => store;
    lives.reply = () => ({ after: 0, outcome: failed('network') });
    lives.join('anna', {
      pace: every(5_000),
      firstIn: 4_000,
      again: { ...WELL, last: 'answered' },
      askedAgo: 700,
    });
    await lives.clock.advance(60_000);
    expect(lives.heardBy('anna')).toEqual(['network']);
  });

  test.each([
    ['succeeds', false],
    ['fails', true],
  ])('ends with the answer for good, where the one write that says so %s', async (_, fails) => {
    const lives = new Lives();
    let saves = 0;
    lives.seen = (store): LoopStore => {
      const save = store.save.bind(store);
      return Object.assign(store, {
        save: async (...args: Parameters<LoopStore['save']>) => {
          if ((saves += 1) === 2 && fails) throw new Error('The database is late');
          return save(...args);
        },
      });
    };
    lives.reply = (nth) => ({ after: 0, outcome: nth === 1 ? failed('network') : answered() });
    lives.join('anna', { pace: every(5_000) });
    // All is well for an hour, and the storage too.
    await lives.clock.advance(3_600_000);
    expect(lives.heardBy('anna').slice(0, 2)).toEqual(['network', null]);
    expect(await lives.stored.find('key')).toMatchObject({ failures: 0 });
    lives.kill();
    lives.told.length = 0;
    lives.reply = () => ({ after: 0, outcome: failed('network') });
    lives.join('anna', { pace: every(5_000), firstIn: 4_000, again: WELL });
    await lives.clock.advance(60_000);
    expect(lives.heardBy('anna')).toEqual(['network']);
  });

  test('is not told to a new tab an hour after it was over, though the one write that says so failed', async () => {
    const lives = new Lives();
    let saves = 0;
    lives.seen = (store): LoopStore => {
      const save = store.save.bind(store);
      return Object.assign(store, {
        save: async (...args: Parameters<LoopStore['save']>) => {
          if ((saves += 1) === 2) throw new Error('The database is late');
          return save(...args);
        },
      });
    };
    lives.reply = (nth) => ({ after: 0, outcome: nth === 1 ? refused(503) : answered() });
    lives.join('anna', { pace: every(5_000) });
    await lives.clock.advance(3_600_000);
    lives.kill();
    lives.join('bert', { pace: every(5_000) });
    await lives.clock.advance(10_000);
    expect(lives.heardBy('bert')[0]).toBe(null);
  });
});
