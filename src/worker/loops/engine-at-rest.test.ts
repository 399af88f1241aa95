import { expect, test } from 'vitest';
import { entry } from '../storage/loop-record.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { following } from '../feeds/feed.fixture.ts';
import { at, Feeds } from './feeds.fixture.ts';

test('an engine at rest tells no loss to a page that is further on than the engine has read', async () => {
  const feeds = new Feeds();
  feeds.last = 3;
  feeds.join('anna', following());
  await feeds.clock.advance(1_000);
  const position = feeds.positionOf('anna');
  const record = await feeds.stored.find('key');
  if (!position || !record) throw new Error('Nothing is stored');
  // Another engine has the lock, and adds to the log.
  feeds.generation = null;
  await feeds.clock.advance(1_000);
  await feeds.stored.append({ ...record, last: 4, cursor: '4' }, entry(4));
  feeds.join('bert', following(at({ ...position, offset: 4 })));
  await settle();
  expect(feeds.heardBy('bert')).toEqual([]);
});
