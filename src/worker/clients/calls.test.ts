import { expect, test } from 'vitest';
import type { Delivery } from '../../shared/delivery.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { submission } from '../tab.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Calls } from './calls.ts';
import { NO_OUTBOX } from './outbox.fixture.ts';

interface Request {
  readonly signal: AbortSignal;
  readonly end: (outcome: ReadOutcome) => void;
}

/** Calls whose requests end when told to, and not before: they may wait for the database, which knows no abort. */
function stage(): { readonly calls: Calls; readonly requests: Request[]; readonly told: Delivery[] } {
  const requests: Request[] = [];
  const told: Delivery[] = [];
  const hub = {
    open: () => {},
    recognize: () => {},
    setHidden: () => {},
    resend: () => [],
    close: () => {},
    renew: () => {},
    tell: (_page: string, delivery: Delivery) => void told.push(delivery),
    carry: () => null,
    publish: (_page: string, make: () => Delivery | readonly (() => Delivery)[]) => {
      const made = make();
      told.push(...('kind' in made ? [made] : made.map((each) => each())));
    },
    flush: async () => {},
  };
  const calls = new Calls('anna', {
    engine: {
      call: ({ signal }) => new Promise((end) => requests.push({ signal, end })),
      part: async () => ({ kind: 'not-stored' }),
      adopt: async () => {},
    },
    settled: async () => {},
    outbox: NO_OUTBOX,
    hub,
  });
  return { calls, requests, told };
}

test('a read that was ended while its page was away can be submitted again before it has ended', async () => {
  const { calls, requests, told } = stage();
  void calls.take(submission(1), 0);
  calls.abandon();
  expect([calls.taken, requests[0]?.signal.aborted]).toEqual([[], true]);
  calls.greet([1], false);
  void calls.take(submission(1), 0);
  requests[0]?.end(failed('aborted'));
  await settle();
  expect([calls.taken, told]).toEqual([[1], []]);
  requests[1]?.end(answered());
  await settle();
  expect(told).toMatchObject([{ kind: 'settled', id: 1, outcome: { kind: 'answered' } }]);
});

test('a drain does not wait for reads that take long to end', async () => {
  const { calls } = stage();
  void calls.take(submission(1), 0);
  let isDrained = false;
  void calls.drain(new Promise(() => {})).then(() => (isDrained = true));
  await settle();
  expect(isDrained).toBe(true);
});

test('a drain ends when the last write that it waits for is given up', async () => {
  const { calls } = stage();
  void calls.take(submission(1, { method: 'POST' }), 0);
  let isDrained = false;
  void calls.drain(new Promise(() => {})).then(() => (isDrained = true));
  await settle();
  expect(isDrained).toBe(false);
  calls.greet([], false);
  await settle();
  expect(isDrained).toBe(true);
});
