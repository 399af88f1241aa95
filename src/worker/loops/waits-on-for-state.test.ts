import { expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { refused } from '../contracts/outcome.fixture.ts';
import { said } from '../feeds/feed.fixture.ts';
import { at, Feeds, WITH_STATE } from './feeds.fixture.ts';

test('a page that greets again waits for its state as long as the server wants', async () => {
  const feeds = new Feeds();
  feeds.state = async () => said({ last: 0 });
  feeds.join('anna', WITH_STATE);
  await feeds.clock.advance(250);
  const times: number[] = [];
  feeds.state = async () => {
    times.push(feeds.now - 250);
    return refused(503, [['Retry-After', '120']]);
  };
  feeds.join('bert', WITH_STATE);
  await settle();
  await feeds.clock.advance(5_000);
  feeds.join('bert', { ...WITH_STATE, ...at(null) });
  await feeds.clock.advance(5_000);
  expect(times).toEqual([0]);
});
