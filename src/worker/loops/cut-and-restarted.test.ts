import { expect, test } from 'vitest';
import { answered, failed } from '../outcome.fixture.ts';
import { settle, VirtualClock } from '../virtual-clock.fixture.ts';
import { Loop } from './loop.ts';
import { plainReply } from './reply.ts';
import type { Reply } from './reply.ts';
import { declaration } from './stage.fixture.ts';

test('a long-poll that is cut for others and restarted in the same breath tells the next answer', async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const turns: AbortController[] = [];
  const answers: ((reply: Reply) => void)[] = [];
  const loop = new Loop(declaration({ pace: { kind: 'long-poll' } }), {
    clock,
    random: () => 0.5,
    demand: { interval: null, period: 20_000, dueAt: (planned) => planned },
    turnstile: () => ({
      pass: async () => {
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
