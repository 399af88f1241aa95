import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../shared/delivery.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { answered, refused } from './invocation.fixture.ts';
import { validateDelivery } from './transport.ts';

const to = { id: 1 };

/** One of each kind: a kind that is missing does not compile. */
const DELIVERIES: { readonly [Kind in Delivery['kind']]: Extract<Delivery, { readonly kind: Kind }> } = {
  sent: { kind: 'sent', to, status: 200, headers: [] },
  progress: { kind: 'progress', to: { loop: 1 }, progress: { loaded: 1, total: null } },
  waiting: { kind: 'waiting', to, wait: 5_000 },
  chunk: { kind: 'chunk', to, index: 0, path: [], text: '[]' },
  preliminary: { kind: 'preliminary', id: 1, outcome: answered() },
  settled: { kind: 'settled', id: 1, outcome: answered() },
  tick: { kind: 'tick', loop: 1, outcome: refused(500), nextIn: null },
  ticking: { kind: 'ticking', loop: 1 },
  'credentials-wanted': {
    kind: 'credentials-wanted',
    question: 'a',
    origin: 'https://api.example',
    reason: 'first',
  },
  draining: { kind: 'draining' },
  storage: { kind: 'storage', mode: 'memory', reason: 'full' },
  opened: { kind: 'opened', name: '/#default', madeAt: 1 },
  reset: { kind: 'reset', loop: 1, failure: { code: 'protocol', message: 'gone' } },
  joined: { kind: 'joined', loop: 1, position: { log: 'a', offset: 0 } },
  identity: { kind: 'identity', identity: { name: 'anna', isSignedIn: true, epoch: 3 } },
  origin: { kind: 'origin', origin: 'https://api.example', status: 'failing' },
  unqueued: { kind: 'unqueued', id: 1 },
  queued: { kind: 'queued', id: 1, write: WRITE },
  write: { kind: 'write', write: WRITE },
  outbox: { kind: 'outbox', counts: { waiting: 2, due: 1 } },
};

function placed(delivery: object): object {
  return { ...delivery, place: { sequence: 'life 1', number: 1 } };
}

function judge(value: unknown): unknown {
  return validateDelivery({ id: 'a', path: ['deliver'], argumentList: [{ value }] });
}

describe('what a worker delivers', () => {
  test('is let in as it is', () => {
    expect(judge(Object.values(DELIVERIES).map(placed))).toBeNull();
    expect(judge([])).toBeNull();
    expect(judge([placed({ ...DELIVERIES.tick, nextIn: 5_000, entry: { log: 'a', offset: 1 } })])).toBeNull();
  });

  test.each(Object.values(DELIVERIES))('is not let in with a part missing: $kind', (delivery) => {
    for (const key of Object.keys(placed(delivery))) {
      const part: Record<string, unknown> = { ...placed(delivery) };
      Reflect.deleteProperty(part, key);
      expect(judge([part]), `without ${key}`).toMatchObject({ code: 'protocol' });
    }
  });

  const holes: unknown[] = [];
  holes.length = 1;

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no list', placed(DELIVERIES.ticking)],
    ['a list with a hole', holes],
    ['an unknown kind', [placed({ kind: 'later' })]],
    ['a kind that every object has', [placed({ kind: 'constructor' })]],
    ['an outcome of an unknown kind', [placed({ ...DELIVERIES.settled, outcome: { kind: 'queued' } })]],
    [
      'an answer that is none',
      [placed({ ...DELIVERIES.settled, outcome: { kind: 'answered', answer: null } })],
    ],
    ['an entry that is none', [placed({ ...DELIVERIES.tick, entry: { log: 'a' } })]],
    ['a loop that is no number', [placed({ kind: 'ticking', loop: '1' })]],
    ['a place without a number', [{ ...DELIVERIES.ticking, place: { sequence: 'a' } }]],
    ['one bad delivery behind a good one', [placed(DELIVERIES.ticking), null]],
  ])('is not let in as %s', (_name, batch) => {
    expect(judge(batch)).toMatchObject({ code: 'protocol' });
  });

  test('is not let in without a batch', () => {
    expect(validateDelivery({ id: 'a', path: ['deliver'], argumentList: [] })).toMatchObject({
      code: 'protocol',
    });
  });
});
