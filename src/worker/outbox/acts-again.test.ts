import { expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Drainer } from './drainer.ts';
import { diskOf } from './drainer.fixture.ts';
import { write } from './write.fixture.ts';

test('a drainer that acts again before its last attempt is stored, as on a slow disk, sends what is queued from then on', async () => {
  const stored = new Deferred();
  const sent: number[] = [];
  let isSlow = false;
  const { writes, store } = diskOf([write(1)]);
  const drainer = new Drainer({
    clock: new VirtualClock(),
    random: () => 0,
    store: {
      ...store,
      change: async (changed) => {
        if (isSlow) await stored.promise;
        return store.change(changed);
      },
    },
    send: async ({ place }) => {
      sent.push(place);
      isSlow = true;
      return answered();
    },
    urlOf: () => null,
    validatorOf: async () => null,
    performed: () => {},
    isProvided: () => false,
    loaded: () => {},
    tell: () => {},
  });
  const first = new AbortController();
  void drainer.act(first.signal);
  await settle();
  first.abort();
  void drainer.act(new AbortController().signal);
  await settle();
  isSlow = false;
  stored.resolve();
  await settle();
  const added = write(2);
  writes.set(2, added);
  drainer.took(added);
  await settle();
  expect([sent, drainer.writes?.length]).toEqual([[1, 2], 0]);
});
