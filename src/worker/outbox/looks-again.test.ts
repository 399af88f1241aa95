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
