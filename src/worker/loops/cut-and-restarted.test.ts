import { expect, test } from 'vitest';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { following, said } from '../feeds/feed.fixture.ts';
import { Feeds } from './feeds.fixture.ts';
import { Loop } from '../scheduling/loop.ts';
import { plainReply } from '../scheduling/plan.ts';
import type { Reply } from '../contracts/audience.ts';
import { declaration } from './stage.fixture.ts';

test('a long-poll that is cut for others and restarted in the same breath tells the next answer', async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const turns: AbortController[] = [];
  const answers: ((reply: Reply) => void)[] = [];
  const loop = new Loop(declaration({ pace: { kind: 'long-poll' } }), {
    clock,
    random: () => 0.5,
    demand: { pace: { kind: 'long-poll' }, period: 20_000, dueAt: (planned) => planned },
    admission: () => ({
      admit: async () => {
        const end = new AbortController();
        turns.push(end);
        return { signal: end.signal, end: () => {} };
      },
      stepAside: () => {},
      leave: () => {},
    }),
    ask: (signal) =>
      new Promise((resolve) => {
        answers.push(resolve);
        // A fetch rejects a moment after it was aborted.
        signal.addEventListener(
          'abort',
          () => void clock.sleep(1).then(() => resolve(plainReply(failed('aborted')))),
        );
      }),
    tick: ({ outcome }) => void told.push(outcome.kind),
    remember: async () => {},
  });
  void loop.run();
  await clock.advance(6_000);
  turns[0]?.abort();
  loop.restart();
  await clock.advance(10);
  expect(turns).toHaveLength(2);
  answers[1]?.(plainReply(answered()));
  await settle();
  expect(told).toEqual(['answered']);
});

test('a request that is made anew for an answer that was held counts from then on', async () => {
  const feeds = new Feeds();
  feeds.random = 0;
  feeds.reply = (nth) =>
    nth === 1 ? { after: 5_000, outcome: said({ last: 1 }) } : { after: 10, outcome: refused(503) };
  feeds.join('anna', following());
  await feeds.clock.advance(2_000);
  feeds.generation = 2;
  await feeds.clock.advance(3_400);
  // Were it taken for one that was held and then cut, it would be tried again at once.
  expect(feeds.times).toEqual([0, 5_000, 5_310]);
});
