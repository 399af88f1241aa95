import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Drainer } from './drainer.ts';
import { diskOf } from './drainer.fixture.ts';
import { Ledger } from './ledger.ts';
import { write } from './write.fixture.ts';

/** Bytes of the heap that are used once it was collected. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') Reflect.apply(gc, null, []);
  return process.memoryUsage().heapUsed;
}

test('an engine that does not act, as in the second of two tabs, keeps nothing of what it has queued', async () => {
  const drainer = new Drainer({
    clock: new VirtualClock(),
    random: () => 0,
    store: diskOf([]).store,
    send: async () => answered(),
    urlOf: () => null,
    validatorOf: async () => null,
    performed: () => {},
    isProvided: () => false,
    loaded: () => {},
    tell: () => {},
  });
  const before = heap();
  for (let place = 1; place <= 20_000; place += 1) drainer.took(write(place));
  await settle();
  expect(heap() - before).toBeLessThan(3_000_000);
  expect(drainer.writes).toBe(null);
});

test('a ledger that lives for long does not grow with what has ended', async () => {
  const ports = { clock: new VirtualClock(), store: { change: async () => new Map() } };
  const ledger = new Ledger(ports, [], new AbortController().signal);
  const endSome = async (first: number): Promise<void> => {
    for (let place = first; place < first + 30_000; place += 1)
      await ledger.keep(write(place, { entry: `${place}`.padEnd(32, 'x'), state: 'done' }));
  };
  await endSome(1);
  const before = heap();
  await endSome(30_001);
  expect(heap() - before).toBeLessThan(2_000_000);
  expect(ledger.all).toEqual([]);
});
