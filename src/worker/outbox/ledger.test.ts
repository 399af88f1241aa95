import { expect, test } from 'vitest';
import { cpuTimeOf } from '../../shared/cpu-time.fixture.ts';
import { leftOut } from '../../shared/outbox.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Ledger } from './ledger.ts';
import { write } from './write.fixture.ts';

function ledgerOf(
  change: OutboxStore['change'] = async () => new Map(),
  clock: VirtualClock = new VirtualClock(),
): Ledger {
  const ports = { clock, store: { change } };
  return new Ledger(ports, [write(1)], new AbortController().signal);
}

const placesOf = (ledger: Ledger): number[] => ledger.all.map(({ place }) => place);

test('a ledger is in the order of places, whatever it learns first', () => {
  const ledger = ledgerOf();
  for (const place of [3, 2, 5, 4]) ledger.learn(write(place));
  expect(placesOf(ledger)).toEqual([1, 2, 3, 4, 5]);
});

test('so it is where it learns from the disk what it did not know', async () => {
  const ledger = ledgerOf(async () => new Map([[3, write(3, { version: 1 })]]));
  await ledger.keep(write(1, { state: 'done' }));
  ledger.learn(write(2));
  expect(placesOf(ledger)).toEqual([2, 3]);
});

test('ten thousand writes that come back late, below what was queued meanwhile, are learned at once', () => {
  const ledger = ledgerOf();
  ledger.learn(write(1e15));
  const back = Array.from({ length: 10_000 }, (_, index) => write(index + 2));
  const learned = cpuTimeOf(() => {
    for (const each of back) ledger.learn(each);
  });
  expect(learned).toBeLessThan(500);
  expect(placesOf(ledger).slice(-2)).toEqual([10_001, 1e15]);
});

test('what has ended or was dropped does not come back, though it was read before', async () => {
  const ledger = ledgerOf();
  const dropped = write(2);
  ledger.learn(dropped);
  await ledger.keep(write(1, { state: 'done' }));
  ledger.drop(dropped);
  ledger.learn(write(1, { state: 'sending' }));
  ledger.learn(dropped);
  expect(placesOf(ledger)).toEqual([]);
});

test('an answer for which there is no room is left out, and the disk says so', async () => {
  const stored: WaitingWrite[] = [];
  const clock = new VirtualClock();
  const ledger = ledgerOf(async ([changed]) => {
    const body = changed?.answer?.body;
    if (!changed || (body?.kind === 'value' && body.value !== null)) throw new Error('There is no room');
    stored.push(changed);
    return new Map();
  }, clock);
  const body = { kind: 'value', value: 'x', size: 3 } as const;
  const answer = { status: 412, headers: [['etag', '"b"']], body } as const;
  const kept = ledger.keep(write(1, { state: 'conflict', answer }));
  await clock.advance(1_000);
  await kept;
  expect(stored).toMatchObject([{ answer: { status: 412, headers: [['etag', '"b"']], body: leftOut(3) } }]);
});
