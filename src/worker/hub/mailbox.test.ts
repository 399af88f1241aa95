import { describe, expect, test } from 'vitest';
import type { Delivered, Delivery } from '../../shared/protocol.ts';
import { settle } from '../virtual-clock.fixture.ts';
import { Mailbox } from './mailbox.ts';

function ticking(loop: number): Delivery {
  return { kind: 'ticking', loop };
}

function progress(loaded: number): Delivery {
  return { kind: 'progress', to: { id: 1 }, progress: { loaded, total: null } };
}

/** A page that takes a batch when it is told to. */
class Reader {
  readonly batches: (readonly Delivery[])[] = [];
  /** The places of all that was told, in order. */
  readonly places: (number | undefined)[] = [];
  readonly #replies: { readonly take: () => void; readonly fail: () => void }[] = [];
  readonly mailbox: Mailbox = new Mailbox('life 1', (batch) => {
    this.batches.push(batch.map(withoutPlace));
    this.places.push(...batch.map(({ place }) => place?.n));
    return new Promise((resolve, reject) => {
      this.#replies.push({ take: resolve, fail: () => reject(new Error('a listener has thrown')) });
    });
  });

  /** Acknowledges the batch of that number. */
  async take(batch: number): Promise<void> {
    this.#replies[batch]?.take();
    await settle();
  }

  async fail(batch: number): Promise<void> {
    this.#replies[batch]?.fail();
    await settle();
  }

  async put(...deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) this.mailbox.put(delivery);
    await settle();
  }
}

function withoutPlace({ place: _place, ...delivery }: Delivered): Delivery {
  return delivery;
}

test('what is told in one turn travels together, in order', async () => {
  const reader = new Reader();
  reader.mailbox.put(ticking(1));
  expect(reader.batches).toEqual([]);
  await reader.put(ticking(2), ticking(3));
  expect(reader.batches).toEqual([[ticking(1), ticking(2), ticking(3)]]);
});

test('one batch is under way at a time, and what comes meanwhile follows it in order', async () => {
  const reader = new Reader();
  await reader.put(ticking(1));
  await reader.put(ticking(2));
  await reader.put(ticking(3));
  expect(reader.batches).toEqual([[ticking(1)]]);
  await reader.take(0);
  expect(reader.batches).toEqual([[ticking(1)], [ticking(2), ticking(3)]]);
  await reader.take(1);
  expect(reader.batches).toHaveLength(2);
  await reader.put(ticking(4));
  expect(reader.batches[2]).toEqual([ticking(4)]);
});

test('a page whose listener throws has taken the batch all the same', async () => {
  const reader = new Reader();
  await reader.put(ticking(1));
  await reader.put(ticking(2));
  await reader.fail(0);
  expect(reader.batches).toEqual([[ticking(1)], [ticking(2)]]);
});

describe('of a state only the newest counts', () => {
  test('while it waits: it takes the last place', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    reader.mailbox.put(progress(1), 'progress');
    await reader.put(ticking(2));
    reader.mailbox.put(progress(2), 'progress');
    await reader.take(0);
    expect(reader.batches[1]).toEqual([ticking(2), progress(2)]);
  });

  test('but not once it is under way', async () => {
    const reader = new Reader();
    reader.mailbox.put(progress(1), 'progress');
    await settle();
    reader.mailbox.put(progress(2), 'progress');
    await reader.take(0);
    expect(reader.batches).toEqual([[progress(1)], [progress(2)]]);
  });

  test('and not for another state', async () => {
    const reader = new Reader();
    reader.mailbox.put(progress(1), 'one');
    reader.mailbox.put(progress(2), 'another');
    await settle();
    expect(reader.batches).toEqual([[progress(1), progress(2)]]);
  });
});

describe('a page that comes back', () => {
  test('is told the last batch again, before what has come meanwhile', async () => {
    const reader = new Reader();
    await reader.put(ticking(1), ticking(2));
    await reader.put(ticking(3));
    reader.mailbox.resend();
    expect(reader.batches[1]).toEqual([ticking(1), ticking(2), ticking(3)]);
  });

  test('is not told again what it has taken', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.take(0);
    reader.mailbox.resend();
    expect(reader.batches).toHaveLength(1);
  });

  test('may take the first batch late: that counts for nothing', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    reader.mailbox.resend();
    await reader.put(ticking(2));
    await reader.take(0);
    expect(reader.batches).toEqual([[ticking(1)], [ticking(1)]]);
    await reader.take(1);
    expect(reader.batches[2]).toEqual([ticking(2)]);
  });
});

describe('a closed mailbox', () => {
  test('delivers nothing that waits', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    reader.mailbox.close();
    await reader.take(0);
    expect(reader.batches).toHaveLength(1);
  });

  test('and nothing that comes', async () => {
    const reader = new Reader();
    reader.mailbox.close();
    await reader.put(ticking(1));
    reader.mailbox.resend();
    expect(reader.batches).toEqual([]);
  });
});
