import { describe, expect, test } from 'vitest';
import { TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { loop } from '../storage/loop-record.fixture.ts';
import { following, said } from '../feeds/feed.fixture.ts';
import { at, Feeds } from './feeds.fixture.ts';

const DAY = 24 * 60 * 60 * 1_000;

/** A feed of one answer. Its server then holds each request until the engine gives it up. */
async function quiet(): Promise<Feeds> {
  const feeds = new Feeds();
  feeds.reply = (nth) =>
    nth === 1 ? { after: 100, outcome: said({ last: 7 }) } : { after: 60_000, outcome: TIMED_OUT };
  feeds.join('anna', following());
  await feeds.clock.advance(1_000);
  feeds.takeAll();
  return feeds;
}

describe('a feed that has been silent for a week keeps its place when another loop is stored', () => {
  test('where a page has followed it all the time', async () => {
    const feeds = await quiet();
    await feeds.clock.advance(8 * DAY);
    const position = feeds.positionOf('anna');
    await feeds.stored.save(loop('other'));
    feeds.kill();
    feeds.told.length = 0;
    feeds.join('anna', following(at(position)));
    await feeds.clock.advance(1_000);
    expect(feeds.heardBy('anna')).toEqual([]);
    expect(feeds.places.at(-1)).toBe('7');
  });

  test('where a page follows it for ten minutes every day', async () => {
    const feeds = await quiet();
    for (let day = 1; day <= 8; day += 1) {
      feeds.kill();
      await feeds.clock.advance(DAY);
      feeds.join('anna', following());
      await feeds.clock.advance(600_000);
    }
    await feeds.stored.save(loop('other'));
    feeds.kill();
    await feeds.clock.advance(DAY);
    feeds.join('anna', following());
    await feeds.clock.advance(1_000);
    expect(feeds.places.at(-1)).toBe('7');
  });
});
