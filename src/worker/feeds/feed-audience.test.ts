import { describe, expect, test } from 'vitest';
import type { LogOffset } from '../../shared/delivery.ts';
import { LIMITS } from '../../shared/limits.ts';
import { failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { cursor, following, said, STATE } from './feed.fixture.ts';
import { at, Feeds, numbers, WITH_STATE } from '../loops/feeds.fixture.ts';

/** Anna follows on, and takes what comes; Bert was told no answer before the kill, and is away. */
async function away(): Promise<{ feeds: Feeds; position: LogOffset | null }> {
  const feeds = new Feeds();
  feeds.last = 0;
  feeds.join('anna', following());
  feeds.join('bert', following());
  await feeds.clock.advance(1_000);
  const position = feeds.positionOf('bert');
  feeds.kill();
  feeds.join('anna', following(at(feeds.positionOf('anna'))));
  return { feeds, position };
}

async function comesBack(feeds: Feeds, position: LogOffset | null): Promise<unknown[]> {
  feeds.told.length = 0;
  feeds.join('bert', following(at(position)));
  await feeds.clock.advance(1_000);
  return feeds.heardBy('bert');
}

/**
 * Three pages of one feed: Anna, whose worker dies; Bert, who comes 15 s later and takes what there is, up to the last;
 * and Carl, who joins after that.
 */
async function joinedLast(last: number): Promise<Feeds> {
  const feeds = new Feeds();
  feeds.last = 1;
  feeds.join('anna', following());
  await feeds.clock.advance(1_000);
  feeds.takeAll();
  await feeds.clock.advance(1_000);
  feeds.kill();
  await feeds.clock.advance(15_000);
  feeds.last = last;
  feeds.join('bert', following());
  await feeds.clock.advance(1_000);
  feeds.takeAll();
  await feeds.clock.advance(3_000);
  feeds.join('carl', following());
  await feeds.clock.advance(1_000);
  return feeds;
}

describe('a feed', () => {
  test('tells each page all answers, with their places in its log', async () => {
    const feeds = new Feeds();
    feeds.join('anna', following());
    feeds.join('bert', following());
    await feeds.clock.advance(1_000);
    expect([feeds.heardBy('anna'), feeds.heardBy('bert')]).toEqual([numbers(1, 2, 3), numbers(1, 2, 3)]);
    expect(feeds.positionOf('bert')).toMatchObject({ offset: 3 });
    expect(feeds.places).toEqual(['0', '1', '2', '3']);
  });

  test('tells its answers as well to a page that has given up the request', async () => {
    const feeds = new Feeds();
    const anna = feeds.join('anna', following());
    feeds.join('bert', following());
    await feeds.clock.advance(50);
    anna.cut();
    await feeds.clock.advance(1_000);
    expect(feeds.heardBy('anna')).toEqual(['aborted', ...numbers(1, 2, 3)]);
  });

  test('goes on after a kill where each page is', async () => {
    const feeds = new Feeds();
    feeds.join('anna', following());
    await feeds.clock.advance(250);
    const position = feeds.positionOf('anna');
    feeds.kill();
    feeds.told.length = 0;
    // The third request was the killed worker's.
    feeds.last = 5;
    feeds.join('anna', following(at(position)));
    await feeds.clock.advance(1_000);
    expect(position?.offset).toBe(2);
    expect(feeds.heardBy('anna')).toEqual(numbers(4, 5));
    expect(feeds.places).toEqual(['0', '1', '2', '2', '4', '5']);
  });

  describe('tells a page where it begins, so that when it is back long after a kill', () => {
    test('it is told what has come since, where that is still there', async () => {
      const { feeds, position } = await away();
      feeds.last = 4;
      await feeds.clock.advance(60_000);
      expect(feeds.heardBy('anna')).toEqual(numbers(2, 3, 4));
      expect(await comesBack(feeds, position)).toEqual(numbers(2, 3, 4));
    });

    test('it hears that it has lost what all others have taken', async () => {
      const { feeds, position } = await away();
      feeds.last = 4;
      await feeds.clock.advance(10_000);
      feeds.takeAll();
      await feeds.clock.advance(60_000);
      expect(await comesBack(feeds, position)).toEqual(['reset']);
    });

    test('it says so again where it has not heard what it was told, which it is then told', async () => {
      const { feeds, position } = await away();
      feeds.last = 3;
      let bert = feeds.join('bert', following());
      const saysAgain = async (): Promise<unknown[]> => {
        feeds.told.length = 0;
        const before = bert;
        bert = feeds.join('bert', following(at(position)));
        before.leave();
        await feeds.clock.advance(1_000);
        return feeds.heardBy('bert');
      };
      await feeds.clock.advance(5_000);
      // What the worker before had told it came in between.
      expect(await saysAgain()).toEqual(numbers(2, 3));
      feeds.takeAll();
      expect(await saysAgain()).toEqual(numbers(2, 3));
      // Nobody has taken that yet.
      expect(await saysAgain()).toEqual([]);
    });

    test('it hears of no loss where what it began before was gone already', async () => {
      const feeds = await joinedLast(1);
      expect([feeds.heardBy('bert'), feeds.heardBy('carl')]).toEqual([numbers(1), []]);
      const position = feeds.positionOf('carl');
      feeds.kill();
      feeds.join('carl', following(at(position)));
      await feeds.clock.advance(1_000);
      expect(feeds.heardBy('carl')).toEqual([]);
    });

    test('it is told a place after what is gone already, though more comes then', async () => {
      const feeds = await joinedLast(3);
      expect(feeds.heardBy('carl')).toEqual(numbers(3));
      const joined = feeds.told.flatMap(({ page, delivery }) =>
        page === 'carl' && delivery.kind === 'joined' ? [delivery.position.offset] : [],
      );
      expect(joined).not.toContain(0);
    });

    test('it hears of no loss where nothing has come', async () => {
      const { feeds, position } = await away();
      await feeds.clock.advance(60_000);
      expect(await comesBack(feeds, position)).toEqual([]);
      expect(position).toMatchObject({ offset: 0 });
    });
  });

  describe('whose page greets again before it has heard anything', () => {
    test('goes on where that begins, and tells nothing twice', async () => {
      const feeds = new Feeds();
      feeds.join('anna', following());
      await feeds.clock.advance(1_000);
      const bert = feeds.join('bert', following());
      feeds.last = 5;
      await feeds.clock.advance(30_000);
      feeds.join('bert', following());
      bert.leave();
      await settle();
      const joined = feeds.told.filter(({ page, delivery }) => page === 'bert' && delivery.kind === 'joined');
      expect(joined).toHaveLength(1);
      feeds.last = 7;
      await feeds.clock.advance(60_000);
      expect(feeds.heardBy('bert')).toEqual(numbers(5, 7));
      feeds.takeAll();
      await feeds.clock.advance(60_000);
      expect(await feeds.stored.entries('key', 0, 10)).toEqual([]);
    });

    test('says once that answers are gone which it was to hear', async () => {
      const { feeds, position } = await away();
      feeds.last = 4;
      await feeds.clock.advance(10_000);
      feeds.takeAll();
      await feeds.clock.advance(60_000);
      feeds.told.length = 0;
      const bert = feeds.join('bert', following(at(position)));
      await feeds.clock.advance(1_000);
      feeds.join('bert', following(at(position)));
      bert.leave();
      await feeds.clock.advance(1_000);
      expect(feeds.heardBy('bert')).toEqual(['reset']);
    });

    test('says once that answers are lost, and asks for the state that it has not told yet', async () => {
      const feeds = new Feeds();
      feeds.state = async () => said({ last: 0 });
      feeds.join('anna', WITH_STATE);
      await feeds.clock.advance(1_000);
      feeds.takeAll();
      await feeds.clock.advance(60_000);
      feeds.state = () => new Promise(() => {});
      const again = { ...WITH_STATE, ...at({ log: 'another', offset: 7 }) };
      const bert = feeds.join('bert', again);
      await settle();
      feeds.state = async () => said({ last: 3 });
      feeds.join('bert', again);
      bert.leave();
      await settle();
      expect(feeds.heardBy('bert')).toEqual(['reset', '={"last":3}']);
      feeds.last = 10;
      await feeds.clock.advance(60_000);
      expect(feeds.heardBy('bert').slice(2)).toEqual(feeds.heardBy('anna').slice(4));
      expect(feeds.heardBy('bert').slice(2)).not.toEqual([]);
    });

    test('but not where it has heard since of what an earlier worker told it', async () => {
      const { feeds } = await away();
      feeds.last = 4;
      await feeds.clock.advance(10_000);
      feeds.takeAll();
      await feeds.clock.advance(60_000);
      const bert = feeds.join('bert', following());
      await settle();
      feeds.join('bert', following(at({ log: 'another', offset: 7 })));
      bert.leave();
      await settle();
      expect(feeds.heardBy('bert')).toEqual(['reset']);
    });
  });

  test('tells what was stored while its loop was restarted, and no answer twice', async () => {
    const feeds = new Feeds();
    feeds.last = 2;
    let restart: (() => void) | null = null;
    feeds.seen = (store) => ({
      find: (key) => store.find(key),
      save: (...record) => store.save(...record),
      entries: (...range) => store.entries(...range),
      prune: (...upTo) => store.prune(...upTo),
      append: async (...entry) => {
        const result = await store.append(...entry);
        restart?.();
        restart = null;
        return result;
      },
    });
    feeds.join('anna', following());
    restart = () => void feeds.join('bert', following({ restart: true }));
    await feeds.clock.advance(1_000);
    expect(feeds.heardBy('anna')).toEqual(numbers(1, 2));
  });

  test('removes what all have taken', async () => {
    const feeds = new Feeds();
    feeds.join('anna', following());
    feeds.join('bert', following());
    await feeds.clock.advance(1_000);
    feeds.takeAll();
    await feeds.clock.advance(15_000);
    expect(await feeds.stored.entries('key', 0, 10)).toEqual([]);
  });

  test('that is refused says so, once to each page', async () => {
    const feeds = new Feeds();
    feeds.reply = (nth) => ({ after: 100, outcome: nth === 2 ? refused(410) : said({ last: nth }) });
    feeds.join('anna', following());
    await feeds.clock.advance(350);
    expect(feeds.heardBy('anna')).toEqual([...numbers(1), 'reset', ...numbers(3)]);
  });

  test('without news is not told again to whoever comes, but its failure is', async () => {
    const feeds = new Feeds();
    feeds.reply = (nth) => ({ after: 100, outcome: nth === 1 ? said({ last: 1 }) : refused(500) });
    feeds.join('anna', following());
    await feeds.clock.advance(20_000);
    feeds.takeAll();
    feeds.join('bert', following());
    await settle();
    expect(feeds.heardBy('bert')).toEqual(['http']);
  });
});

describe('a page that comes to a feed', () => {
  test('is told the state before any answer, which stays for itself', async () => {
    const feeds = new Feeds();
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', WITH_STATE);
    await feeds.clock.advance(350);
    const gives: (() => void)[] = [];
    feeds.state = () => new Promise((resolve) => gives.push(() => resolve(said({ last: 3 }))));
    feeds.join('bert', WITH_STATE);
    await settle();
    expect(feeds.heardBy('bert')).toEqual([]);
    gives[0]?.();
    await settle();
    expect(feeds.heardBy('bert')).toEqual(['={"last":3}']);
    expect(feeds.heardBy('anna')).toEqual(['={"last":0}', ...numbers(1, 2, 3)]);
    expect(feeds.requests.map(({ held }) => held)).toEqual([false, true, true, true, true, false]);
  });

  test('and goes ends its request for the state, and is told nothing', async () => {
    const feeds = new Feeds();
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', WITH_STATE);
    await feeds.clock.advance(350);
    const signals: AbortSignal[] = [];
    feeds.state = async (signal) => {
      signals.push(signal);
      await feeds.clock.sleep(1_000, signal);
      return signal.aborted ? failed('aborted') : said({ last: 3 });
    };
    const bert = feeds.join('bert', WITH_STATE);
    await settle();
    bert.leave();
    await feeds.clock.advance(2_000);
    expect([signals.map(({ aborted }) => aborted), feeds.heardBy('bert')]).toEqual([[true], []]);
  });

  test('after it has lost answers hears that, catches up, and goes on', async () => {
    const feeds = new Feeds();
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', WITH_STATE);
    await feeds.clock.advance(350);
    feeds.state = async () => said({ last: 3 });
    const { log } = feeds.positionOf('anna') ?? { log: '' };
    await feeds.stored.prune('key', 2, 0);
    feeds.join('bert', { ...WITH_STATE, ...at({ log, offset: 1 }) });
    feeds.join('cleo', { ...WITH_STATE, ...at({ log: 'gone', offset: 1 }) });
    await settle();
    expect(feeds.heardBy('bert')).toEqual(['reset', '={"last":3}', ...numbers(3)]);
    expect(feeds.heardBy('cleo')).toEqual(['reset', '={"last":3}', ...numbers(3)]);
  });

  test('late, after the loop has caught up without it, hears that it has lost answers', async () => {
    const feeds = new Feeds();
    feeds.state = async () => said({ last: 0 });
    feeds.join('anna', WITH_STATE);
    feeds.join('bert', WITH_STATE);
    await feeds.clock.advance(350);
    const position = feeds.positionOf('anna');
    feeds.kill();
    await feeds.clock.advance(400_000);
    feeds.told.length = 0;
    feeds.state = async () => said({ last: 99 });
    feeds.join('anna', { ...WITH_STATE, ...at(position) });
    await feeds.clock.advance(1_000);
    feeds.join('bert', { ...WITH_STATE, ...at(position) });
    await settle();
    expect(feeds.heardBy('anna')).toEqual(['={"last":99}']);
    expect(feeds.heardBy('bert')).toEqual(['reset', '={"last":99}']);
  });
});

test('the state for all is told to a page as well that has given up the request', async () => {
  const feeds = new Feeds();
  const gives: (() => void)[] = [];
  feeds.state = () => new Promise((resolve) => gives.push(() => resolve(said({ last: 0 }))));
  const anna = feeds.join('anna', WITH_STATE);
  feeds.join('bert', WITH_STATE);
  await settle();
  anna.cut();
  gives[0]?.();
  await settle();
  expect(feeds.heardBy('anna')).toEqual(['aborted', '={"last":0}']);
});

test('a state whose loop has caught up is told so to whoever comes', async () => {
  const feeds = new Feeds();
  feeds.last = 0;
  feeds.state = async () => said({ last: 5 });
  const wish = following({ cursor: cursor({ kind: 'state', catchUp: STATE }) });
  feeds.join('anna', wish);
  await feeds.clock.advance(100);
  feeds.join('bert', wish);
  await settle();
  expect(feeds.heardBy('bert')).toEqual(['={"last":5}']);
});

test('a place of a state that is refused is told to all pages', async () => {
  const feeds = new Feeds();
  feeds.reply = (nth) => ({ after: 100, outcome: nth === 2 ? refused(410) : said({ last: nth }) });
  feeds.join('anna', following({ cursor: cursor({ kind: 'state' }) }));
  await feeds.clock.advance(350);
  expect(feeds.heardBy('anna')).toEqual([...numbers(1), 'reset', ...numbers(3)]);
});

describe('answers that come at once', () => {
  test('are no runaway where they lead on', async () => {
    const feeds = new Feeds();
    feeds.reply = (nth) => ({ after: nth > 200 ? 60_000 : 0, outcome: said({ last: nth }) });
    feeds.join('anna', following());
    for (let turn = 0; turn < 250; turn += 1) {
      await settle();
      feeds.takeAll();
    }
    expect([feeds.asked.length, feeds.now]).toEqual([201, 0]);
    expect(feeds.heardBy('anna')).toHaveLength(200);
  });

  test.each([
    ['leave it where it was', { last: 1 }],
    ['name no place', { last: null }],
  ])('are one where they %s', async (_what, value) => {
    const feeds = new Feeds();
    feeds.reply = (nth) => ({ after: 0, outcome: said(nth === 1 ? { last: 1 } : value) });
    feeds.join('anna', following());
    await feeds.clock.advance(3_500);
    expect(feeds.asked.length).toBeLessThan(36);
    expect(LIMITS.feedEntries).toBeGreaterThan(36);
  });
});
