import { expect, test } from 'vitest';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { DurableState } from './durable-state.ts';

test.each([
  ['(control) in the same term', 1],
  ['in a new term, for which it is read again', 2],
])('a change that cannot be stored %s is not said to be stored', async (_, generation) => {
  const clock = new VirtualClock();
  const stored = new MemoryLoops(clock);
  let [own, fails] = [1, false];
  const memory = new DurableState({
    clock,
    store: {
      ...storeIn(stored),
      save: async (record) => {
        if (fails) throw new Error('no room');
        return stored.save(record);
      },
    },
    generation: () => own,
    key: async () => 'key',
    uuid: () => 'log',
  });
  await memory.recall();
  expect(await memory.note({ failures: 3, notBefore: 1_000 })).toBe(true);
  own = generation;
  fails = true;
  const isStored = await memory.note({ notBefore: 5 });
  expect(await stored.find('key')).toMatchObject({ notBefore: 1_000 });
  expect(isStored).toBe(false);
});
