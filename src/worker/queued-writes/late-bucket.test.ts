import { expect, test } from 'vitest';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { SpareDatabases } from '../storage/spare-databases.ts';

test('an opening of the other place that has failed as copies were to be carried over is not kept for what comes later', async () => {
  const clock = new VirtualClock();
  let opened = 0;
  const place = {
    isThere: async () => true,
    open: async () => {
      opened += 1;
      if (opened === 1) throw new Error('not now');
      return new IDBFactory();
    },
  };
  const spare = new SpareDatabases({ clock }, place, '/', false);
  await spare.carryAll('outbox:/#');
  // Minutes later the place is well.
  await clock.advance(600_000);
  await expect(spare.salts()).resolves.toEqual([]);
});
