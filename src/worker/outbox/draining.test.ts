import { expect, test } from 'vitest';
import type { OutboxStore } from '../contracts/outbox-store.ts';
import { answered, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { BODY, diskOf, drainerOn } from './drainer.fixture.ts';
import { write } from './write.fixture.ts';

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 3_000 && !holds(); round += 1) await settle();
}

/** Writes of as many lanes. */
function lanes(count: number): ReturnType<typeof write>[] {
  return Array.from({ length: count }, (_, index) => write(index + 1, { lane: `photo ${index + 1}` }));
}

function countOf(told: readonly string[]): number {
  return told.filter((each) => each.endsWith('done')).length;
}

test('a write that is done costs no look at the address of each that waits', async () => {
  const waiting = lanes(1_000).map((each) => ({
    ...each,
    matches: '"a"',
    invocation: { ...each.invocation, method: 'PUT', template: `/photo/${each.place}` },
  }));
  let addresses = 0;
  const urlOf = ({ template }: { readonly template: string }): string => {
    addresses += 1;
    return `https://page.example${template}`;
  };
  const { told } = drainerOn(diskOf(waiting).store, async () => answered({ status: 201 }), { urlOf });
  await until(() => countOf(told) === 1_000);
  expect(countOf(told)).toBe(1_000);
  expect(addresses / 1_000).toBeLessThan(50);
});

test('what servers have answered to writes that are done is not kept in memory', async () => {
  const { drainer, told } = drainerOn(diskOf(lanes(200)).store, async ({ key }) =>
    answered({
      answer: { status: 200, headers: [], body: { kind: 'value', value: key + 'x'.repeat(200_000) } },
    }),
  );
  await until(() => countOf(told) === 200);
  const kept = (drainer.writes ?? []).reduce(
    (sum, { answer }) => sum + JSON.stringify(answer ?? '').length,
    0,
  );
  expect([countOf(told), kept < 16_777_216]).toEqual([200, true]);
});

test('an answer for which the disk has no room holds no other lane', async () => {
  // The disk has room for small changes, not for a record with this answer.
  const { writes, store } = diskOf([
    write(1, { lane: 'a' }),
    write(2, { lane: 'b', notBefore: Date.UTC(2026, 0, 1) + 5_000 }),
  ]);
  const change = store.change.bind(store);
  const stingy: OutboxStore = {
    ...store,
    change: async (changed) => {
      if (changed.some(({ answer }) => JSON.stringify(answer ?? null).length >= 10_000))
        throw new DOMException('no', 'QuotaExceededError');
      return change(changed);
    },
  };
  const value = { kind: 'value', value: 'x'.repeat(20_000) } as const;
  const { clock, told } = drainerOn(stingy, async ({ key }) =>
    key === 'key 1'
      ? answered({ answer: { status: 200, headers: [], body: value } })
      : answered({ status: 201 }),
  );
  await settle();
  await clock.advance(60_000);
  expect(told.filter((each) => each.endsWith('done'))).toEqual(['key 1 done', 'key 2 done']);
  expect(writes.get(1)?.state).toBe('done');
});

test('the network that comes back holds up no outbox that is full, on a disk that stores 2,000 records in two seconds', async () => {
  const all = Array.from({ length: 10_000 }, (_, index) => write(index + 1));
  const { writes, store } = diskOf(all);
  const change = store.change.bind(store);
  const slow: OutboxStore = {
    ...store,
    change: async (changed) => {
      if (changed.length > 2_000) throw new DOMException('late', 'AbortError');
      return change(changed);
    },
  };
  const { drainer, clock } = drainerOn(slow, async () => refused(503));
  await settle();
  drainer.online();
  for (let n = 0; n < 30; n += 1) await clock.advance(10_000);
  // What has been stored since: attempts of the first write.
  const before = writes.get(1)?.attempts ?? 0;
  for (let n = 0; n < 30; n += 1) await clock.advance(10_000);
  expect((writes.get(1)?.attempts ?? 0) - before).toBeGreaterThan(0);
});

test('what was discarded before its first attempt is not sent after that was told', async () => {
  const reading = new Deferred();
  const { store } = diskOf([write(1)], {
    body: async () => {
      await reading.promise;
      return { kind: 'found', value: BODY };
    },
  });
  const sent: string[] = [];
  const { drainer } = drainerOn(store, async ({ key }) => {
    sent.push(key);
    return answered({ status: 201 });
  });
  await settle();
  drainer.took(write(1, { version: 1, state: 'discarded' }));
  reading.resolve();
  await settle();
  expect(sent).toEqual([]);
});

test('one transaction stores the end of a write and the begin of the next one of its lane', async () => {
  const { store } = diskOf([write(1), write(2), write(3)]);
  const stored: string[] = [];
  const change: OutboxStore['change'] = (changed) => {
    stored.push(changed.map(({ key, state }) => `${key} ${state}`).join(', '));
    return store.change(changed);
  };
  drainerOn({ ...store, change }, async () => answered({ status: 201 }));
  await settle();
  expect(stored).toEqual([
    'key 1 sending',
    'key 1 done, key 2 sending',
    'key 2 done, key 3 sending',
    'key 3 done',
  ]);
});

test('a body is read while the begin of its attempt is being stored, and nothing is sent before that is', async () => {
  const storing = new Deferred();
  const { store } = diskOf([write(1)]);
  const did: string[] = [];
  const slow: OutboxStore = {
    ...store,
    change: async (changed) => {
      await storing.promise;
      return store.change(changed);
    },
    body: async (read) => {
      did.push('read');
      return store.body(read);
    },
  };
  drainerOn(slow, async () => {
    did.push('sent');
    return answered({ status: 201 });
  });
  await settle();
  expect(did).toEqual(['read']);
  storing.resolve();
  await settle();
  expect(did).toEqual(['read', 'sent']);
});

test('a lane goes when its time comes, though the end of an attempt of each other lane cannot be stored', async () => {
  const now = Date.UTC(2026, 0, 1);
  const { store } = diskOf([...lanes(4), write(5, { lane: 'late', notBefore: now + 5_000 })]);
  const change: OutboxStore['change'] = async (changed) => {
    if (changed.some(({ state }) => state === 'done')) throw new DOMException('no', 'QuotaExceededError');
    return store.change(changed);
  };
  const sent: string[] = [];
  const { clock } = drainerOn({ ...store, change }, async ({ key }) => {
    sent.push(key);
    return answered({ status: 201 });
  });
  await settle();
  expect(sent).toHaveLength(4);
  await clock.advance(5_000);
  expect(sent.at(-1)).toBe('key 5');
});
