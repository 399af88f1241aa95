import { describe, expect, test } from 'vitest';
import { following, said } from '../feeds/feed.fixture.ts';
import { at, Feeds, numbers } from './feeds.fixture.ts';

/**
 * A new feed, whose server answers at once. Its storage takes 20 ms for each transaction, one after the other, as IndexedDB
 * does with those that overlap. Anna begins the feed; Bert comes 30 ms later, while the first answer is being stored.
 */
async function begun(): Promise<Feeds> {
  const feeds = new Feeds();
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(async () => {
      await feeds.clock.sleep(20);
      return work();
    });
    turn = done.catch(() => {});
    return done;
  };
  feeds.seen = (store) => ({
    find: (...args) => inTurn(() => store.find(...args)),
    save: (...args) => inTurn(() => store.save(...args)),
    entries: (...args) => inTurn(() => store.entries(...args)),
    prune: (...args) => inTurn(() => store.prune(...args)),
    append: (...args) => inTurn(() => store.append(...args)),
  });
  feeds.reply = (nth) =>
    nth === 1 ? { after: 0, outcome: said({ last: 1 }) } : { after: 25_000, outcome: said(null, 204) };
  feeds.join('anna', following());
  await feeds.clock.advance(30);
  feeds.join('bert', following());
  await feeds.clock.advance(1_000);
  feeds.takeAll();
  await feeds.clock.advance(1_000);
  return feeds;
}

describe('a second page that begins in a feed while its first answer is being stored', () => {
  test('leaves the feed its place', async () => {
    const feeds = await begun();
    expect(feeds.heardBy('anna')).toEqual(numbers(1));
    expect(await feeds.stored.find('key')).toMatchObject({ last: 1, cursor: '1' });
  });

  test('has no page miss an answer in silence after the death of the worker', async () => {
    const feeds = await begun();
    const position = feeds.positionOf('anna');
    feeds.kill();
    feeds.told.length = 0;
    const asked = feeds.places.length;
    // The server tells up to three changes from the place on that it is asked for, one by one from 2 on.
    feeds.reply = () => {
      const place = Number(feeds.places.at(-1));
      if (place >= 3) return { after: 25_000, outcome: said(null, 204) };
      return { after: 0, outcome: said({ from: place + 1, last: place === 0 ? 2 : 3 }) };
    };
    // Bert, who comes first, has heard nothing; Anna, who has, a second later.
    feeds.join('bert', following());
    await feeds.clock.advance(1_000);
    feeds.join('anna', following(at(position)));
    await feeds.clock.advance(5_000);
    expect(feeds.heardBy('anna')).toEqual([{ from: 2, last: 3 }]);
    expect(feeds.places.slice(asked)).toEqual(['1', '3']);
  });
});
