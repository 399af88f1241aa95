import { expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import type { OutboxStore } from '../contracts/outbox-store.ts';
import { Deferred } from '../platform/waiting.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { diskOf, drainerOn } from './drainer.fixture.ts';
import { write } from './write.fixture.ts';

test('what another engine adds while what waits is being read is sent', async () => {
  const read = new Deferred();
  const { writes, store } = diskOf([]);
  const all: OutboxStore['all'] = async () => {
    const found = await store.all();
    await read.promise;
    return found;
  };
  const sent: number[] = [];
  const { drainer } = drainerOn({ ...store, all }, async ({ place }) => {
    sent.push(place);
    return answered();
  });
  await settle();
  writes.set(1, write(1));
  drainer.look();
  read.resolve();
  await settle();
  expect(sent).toEqual([1]);
});

test('of what comes back in two parts, the second is told too, though it comes before the first has been read', async () => {
  const [first, second, third] = [write(1, { lane: 'a' }), write(2, { lane: 'a' }), write(3, { lane: 'a' })];
  const reading: (() => void)[] = [];
  const { writes, store } = diskOf([first]);
  const late: OutboxStore = {
    ...store,
    all: async () => {
      const found = await store.all();
      if (writes.size > 1) await new Promise<void>((resolve) => reading.push(resolve));
      return found;
    },
  };
  const told: boolean[] = [];
  const { drainer } = drainerOn(late, () => new Promise(() => {}), {
    loaded: (hasCome) => told.push(hasCome),
  });
  await settle();
  writes.set(2, second);
  drainer.look(true);
  await settle();
  writes.set(3, third);
  drainer.look(true);
  await settle();
  expect(told).toEqual([false]);
  for (const read of reading) {
    read();
    await settle();
  }
  expect(told).toEqual([false, true, true]);
});
