import type { RequestBody } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Drainer } from './drainer.ts';
import type { DrainerPorts } from './drainer.ts';

export const BODY: RequestBody = { kind: 'text', text: '{}' };

/** The writes on a disk, and its store. */
export interface Disk {
  readonly writes: Map<number, WaitingWrite>;
  readonly store: OutboxStore;
}

export function diskOf(waiting: readonly WaitingWrite[], differing: Partial<OutboxStore> = {}): Disk {
  const writes = new Map(waiting.map((each) => [each.place, each]));
  const store: OutboxStore = {
    take: async () => {},
    all: async () => ({ kind: 'found', value: [...writes.values()].filter(({ state }) => state !== 'done') }),
    ended: async () => [],
    assertWhole: async () => {},
    body: async () => ({ kind: 'found', value: BODY }),
    bodies: async (all) => all.map(() => BODY),
    add: async () => Promise.reject(new Error('Nothing is added here')),
    change: async (changed) => {
      for (const each of changed) if (writes.has(each.place)) writes.set(each.place, each);
      return new Map();
    },
    names: async () => new Map(),
    decide: async () => null,
    sweep: async () => {},
    forgetEnded: async () => {},
    clear: async () => {},
    ...differing,
  };
  return { writes, store };
}

/** A drainer at work, and what it has told. */
export interface Draining {
  readonly drainer: Drainer;
  readonly clock: VirtualClock;
  readonly told: string[];
}

export function drainerOn(
  store: OutboxStore,
  send: (write: WaitingWrite) => Promise<Outcome>,
  differing: Partial<DrainerPorts> = {},
): Draining {
  const clock = new VirtualClock();
  const told: string[] = [];
  const drainer = new Drainer({
    clock,
    random: () => 0,
    store,
    send,
    urlOf: () => null,
    validatorOf: async () => null,
    performed: () => {},
    isProvided: () => false,
    loaded: () => {},
    tell: ({ key, state }) => told.push(`${key} ${state}`),
    ...differing,
  });
  void drainer.act(new AbortController().signal);
  return { drainer, clock, told };
}
