import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { cursor, following, said, STATE } from '../feeds/feed.fixture.ts';
import { at, Feeds, numbers, WITH_STATE } from './feeds.fixture.ts';
import { every, OPEN } from './stage.fixture.ts';

function upTo(last: number, from = 1): number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => from + index);
}

/** Anna follows, and bert comes when the state is given so. */
async function bertWith(state: Feeds['state'], feeds = new Feeds()): Promise<Feeds & { leave: () => void }> {
  feeds.state = async () => said({ last: 0 });
  feeds.join('anna', WITH_STATE);
  await feeds.clock.advance(250);
  feeds.state = state;
  const bert = feeds.join('bert', WITH_STATE);
  await settle();
  return Object.assign(feeds, { leave: () => bert.leave() });
}

/** When the state was asked for, milliseconds after bert came. */
function watched(outcomes: readonly Outcome[], feeds: Feeds): { state: Feeds['state']; times: number[] } {
  const times: number[] = [];
  const state = async (): Promise<Outcome> => {
    times.push(feeds.now - 250);
    return outcomes[times.length - 1] ?? said({ last: 3 });
  };
  return { state, times };
}

describe('a page that cannot have the state', () => {
  test.each([
    ['a server that fails', refused(500), '="http"'],
    ['a network that is gone', failed('network'), '="network"'],
    ['an answer that is stale', said({ last: 1 }, 200, { stale: true, servedFrom: 'cache' }), '={"last":1}'],
  ])('is told so, for %s, and is told nothing else before it has', async (_why, outcome, told) => {
    const feeds = new Feeds();
    const { state, times } = watched([outcome], feeds);
    await bertWith(state, feeds);
    await feeds.clock.advance(1_299);
    expect(feeds.heardBy('bert')).toEqual([told]);
    await feeds.clock.advance(1);
    expect(times).toEqual([0, 1_300]);
    expect(feeds.heardBy('bert')).toEqual([told, '={"last":3}', ...numbers(3)]);
    await feeds.clock.advance(200_000);
    expect(times).toHaveLength(2);
  });

  test('is not told again and again that the network is gone', async () => {
    const feeds = new Feeds();
    const { state } = watched(
      [1, 2, 3].map(() => failed('network')),
      feeds,
    );
    await bertWith(state, feeds);
    await feeds.clock.advance(300_000);
    expect(feeds.heardBy('bert')).toEqual(['="network"', '={"last":3}', ...numbers(3)]);
  });

  test('waits as long as the server wants', async () => {
    const feeds = new Feeds();
    const { state, times } = watched([refused(503, [['Retry-After', '120']])], feeds);
    await bertWith(state, feeds);
    await feeds.clock.advance(200_000);
    expect(times).toEqual([0, 125_000]);
  });

  test('backs off by the period of a poll', async () => {
    const feeds = new Feeds();
    feeds.reply = () => ({ after: 0, outcome: said(null, 204) });
    const wish = { ...WITH_STATE, pace: every(1_000) };
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', wish);
    await feeds.clock.advance(250);
    const { state, times } = watched([refused(500), refused(500)], feeds);
    feeds.state = state;
    feeds.join('bert', wish);
    await feeds.clock.advance(10_000);
    expect(times).toEqual([0, 800, 1_800]);
  });

  test('tries again soon when the network is back', async () => {
    const feeds = new Feeds();
    const { state, times } = watched(
      [1, 2, 3].map(() => failed('network')),
      feeds,
    );
    await bertWith(state, feeds);
    await feeds.clock.advance(8_000);
    void feeds.wakeUp();
    await feeds.clock.advance(5_000);
    expect(times).toEqual([0, 1_300, 7_300, 13_000]);
  });

  test.each([1, 20])(
    'draws once when to try again, though %i pages say that the network is back',
    async (pages) => {
      const feeds = new Feeds();
      feeds.state = async () => said({ last: 0 });
      feeds.reply = () => ({ after: 0, outcome: failed('network') });
      feeds.join('anna', WITH_STATE);
      await feeds.clock.advance(10_000);
      const { state, times } = watched([], feeds);
      feeds.state = state;
      feeds.random = 0.9;
      feeds.join('bert', WITH_STATE);
      await settle();
      for (let page = 0; page < pages; page += 1) {
        feeds.random = 0.9 - page / 50;
        void feeds.wakeUp();
      }
      await feeds.clock.advance(15_000);
      expect(times).toEqual([10_000 - 250 + 9_000]);
    },
  );

  test('tries no more when it has gone', async () => {
    const feeds = new Feeds();
    const { state, times } = watched([refused(500)], feeds);
    const { leave } = await bertWith(state, feeds);
    leave();
    await feeds.clock.advance(200_000);
    expect(times).toEqual([0]);
    expect(feeds.heardBy('bert')).toEqual(['="http"']);
  });

  test('tries no more when all have been told it', async () => {
    const feeds = new Feeds();
    const { state, times } = watched([refused(500), said({ last: 9 })], feeds);
    await bertWith(state, feeds);
    feeds.reply = (nth) => ({ after: 100, outcome: nth === 4 ? refused(410) : said(null, 204) });
    await feeds.clock.advance(26_000);
    expect(times).toEqual([0, 150]);
    expect(feeds.heardBy('bert')).toEqual(['="http"', 'reset', '={"last":9}']);
  });

  test('does not ask while the loop waits for the server, but with it', async () => {
    const feeds = new Feeds();
    feeds.state = async () => said({ last: 0 });
    feeds.reply = () => ({ after: 100, outcome: refused(500) });
    feeds.join('anna', WITH_STATE);
    await feeds.clock.advance(250);
    const { state, times } = watched([], feeds);
    feeds.state = state;
    feeds.join('bert', WITH_STATE);
    await feeds.clock.advance(1_349);
    expect([feeds.heardBy('bert'), times]).toEqual([['http'], []]);
    await feeds.clock.advance(1);
    expect(times).toEqual([1_350]);
  });

  test('asks through what all requests pass, and says there how it has ended', async () => {
    const feeds = new Feeds();
    const passed: unknown[] = [];
    let opens: (() => void) | null = null;
    feeds.turnstile = (asked, held) => ({
      ...OPEN,
      admit: async (due) => {
        if (asked.action !== STATE.action) return OPEN.admit(due, new AbortController().signal);
        if (passed.length > 0) await new Promise<void>((resolve) => (opens = resolve));
        passed.push([held, due.period, due.failures]);
        return { signal: new AbortController().signal, end: (outcome) => passed.push(outcome?.kind) };
      },
      leave: () => passed.push('left'),
    });
    const { state, times } = watched([refused(503)], feeds);
    await bertWith(state, feeds);
    await feeds.clock.advance(60_000);
    expect(times).toEqual([0]);
    Object(opens)();
    await settle();
    expect(times).toEqual([0, 60_000]);
    expect(passed).toEqual([[false, 20_000, 0], 'failed', [false, 20_000, 1], 'answered', 'left']);
  });

  test('for so long that its answers are lost hears that, and asks anew, never twice at once', async () => {
    const feeds = new Feeds();
    let [out, most] = [0, 0];
    const { state, times } = watched([refused(500), refused(500), refused(500)], feeds);
    const give = async (signal: AbortSignal): Promise<Outcome> => {
      most = Math.max(most, (out += 1));
      const outcome = await state(signal);
      await feeds.clock.sleep(50, signal);
      out -= 1;
      return outcome;
    };
    feeds.last = 1_200;
    feeds.reply = (nth) => ({
      after: nth > 1_200 ? 25_000 : 10,
      outcome: said({ last: Math.min(nth, 1_200) }),
    });
    await bertWith(give, feeds);
    await feeds.clock.advance(60_000);
    expect(feeds.heardBy('bert')).toEqual([
      ...Array.from({ length: 3 }, () => '="http"'),
      '={"last":3}',
      'reset',
      '={"last":3}',
      ...numbers(...upTo(232, 201)),
    ]);
    expect([times.length, most]).toEqual([5, 1]);
    expect(await feeds.stored.entries('key', 0, 2_000)).toHaveLength(1_000);
  });

  test('in a log that another engine has started is told none of before', async () => {
    const feeds = new Feeds();
    let last = 10;
    const slow = async (signal: AbortSignal): Promise<Outcome> => {
      last += 1;
      const given = said({ last });
      await feeds.clock.sleep(60_000, signal);
      return signal.aborted ? failed('aborted') : given;
    };
    await bertWith(slow, feeds);
    const record = await feeds.stored.find('key');
    await feeds.stored.save({ ...Object(record), log: 'another', last: 0, cursor: '7' });
    feeds.generation = 2;
    feeds.reply = () => ({ after: 25_000, outcome: said(null, 204) });
    await feeds.clock.advance(120_000);
    expect(feeds.heardBy('bert')).toEqual(['reset', '={"last":13}']);
    expect(feeds.heardBy('anna').slice(-2)).toEqual(['reset', '={"last":12}']);
  });
});

test('the steps of a request for one page are told to that one', async () => {
  const feeds = new Feeds();
  feeds.state = async () => said({ last: 0 });
  const all = { started: true, sent: true, progress: true };
  feeds.join('anna', { ...WITH_STATE, interest: all });
  await feeds.clock.advance(350);
  feeds.state = () => new Promise(() => {});
  feeds.join('bert', { ...WITH_STATE, interest: { ...all, progress: false } });
  await settle();
  feeds.told.length = 0;
  const request = feeds.requests.at(-1);
  request?.say((to) => ({ kind: 'sent', to, status: 200, headers: [] }));
  expect(request?.interest).toEqual({ ...all, progress: false });
  expect(feeds.told.map(({ page }) => page)).toEqual(['bert']);
});

describe('a state that is not stored', () => {
  const WISH = following({ cursor: cursor({ kind: 'state', catchUp: STATE }) });

  /** Anna has been told a state that was stored, and has been cleared away. */
  async function cleared(): Promise<Feeds> {
    const feeds = new Feeds();
    feeds.last = 1;
    feeds.reply = (nth) => ({
      after: nth > 1 ? 25_000 : 100,
      outcome: nth > 1 ? said(null, 204) : said({ last: 1 }, 200, { revision: { lineage: 'a', number: 1 } }),
    });
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', WISH);
    await feeds.clock.advance(1_000);
    feeds.told.length = 0;
    feeds.state = async () => said({ last: 1 });
    return feeds;
  }

  test('is asked for, for whoever comes and for nobody else', async () => {
    const feeds = await cleared();
    feeds.join('bert', WISH);
    await settle();
    expect([feeds.heardBy('bert'), feeds.heardBy('anna')]).toEqual([['={"last":1}'], []]);
  });

  test('is asked for in another life, but not for who has it', async () => {
    const feeds = await cleared();
    feeds.kill();
    feeds.join('anna', { ...WISH, ...at(null) });
    feeds.join('bert', WISH);
    await settle();
    expect([feeds.heardBy('bert'), feeds.heardBy('anna')]).toEqual([['={"last":1}'], []]);
  });

  test('is asked for in another life where what a page has was stored, for that may not be the newest', async () => {
    const feeds = await cleared();
    feeds.kill();
    feeds.join('anna', { ...WISH, again: { revision: { lineage: 'a', number: 1 }, overdueBy: 0 } });
    await settle();
    expect(feeds.heardBy('anna')).toEqual(['={"last":1}']);
  });

  test('is asked for, for a page that comes back in the same life', async () => {
    const feeds = await cleared();
    feeds.join('bert', { ...WISH, ...at(null) });
    await settle();
    expect(feeds.heardBy('bert')).toEqual(['={"last":1}']);
  });

  test('is asked for by whoever comes while the first request of that life is held', async () => {
    const feeds = await cleared();
    feeds.kill();
    feeds.join('anna', { ...WISH, ...at(null) });
    await feeds.clock.advance(1_000);
    feeds.join('bert', WISH);
    await settle();
    expect(feeds.heardBy('bert')).toEqual(['={"last":1}']);
    feeds.newest = said({ last: 1 }, 200, { revision: { lineage: 'a', number: 1 }, servedFrom: 'cache' });
    feeds.join('cleo', WISH);
    await settle();
    expect(feeds.heardBy('cleo')).toEqual(numbers(1));
  });

  test('is not asked for where it is stored, nor where nothing gives it', async () => {
    const feeds = await cleared();
    feeds.newest = said({ last: 1 }, 200, { revision: { lineage: 'a', number: 1 }, servedFrom: 'cache' });
    feeds.join('bert', WISH);
    await settle();
    expect([feeds.heardBy('bert'), feeds.places]).toEqual([numbers(1), ['state', '0', '1']]);
  });

  test('is tried again until it is had, or another one comes', async () => {
    const feeds = await cleared();
    feeds.state = async () => refused(500);
    feeds.reply = () => ({
      after: 0,
      outcome: said({ last: 2 }, 200, { revision: { lineage: 'a', number: 2 } }),
    });
    feeds.join('bert', WISH);
    await feeds.clock.advance(23_000);
    const failures = Array.from({ length: 3 }, () => '="http"');
    expect(feeds.heardBy('bert')).toEqual(failures);
    const asked = feeds.places.filter((place) => place === 'state').length;
    await feeds.clock.advance(2_100);
    expect(feeds.heardBy('bert').slice(0, 4)).toEqual([...failures, { last: 2 }]);
    await feeds.clock.advance(200_000);
    expect(feeds.places.filter((place) => place === 'state')).toHaveLength(asked);
  });
});
