import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Delivered, Delivery, SentBody, Ticked } from '../../shared/delivery.ts';
import { answered, answeredBytes, failed } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
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
  readonly places: number[] = [];
  readonly sequences = new Set<string>();
  readonly #replies: { readonly take: () => void; readonly fail: () => void }[] = [];
  readonly mailbox: Mailbox = new Mailbox('life 1', {
    deliver: (batch) => {
      this.#hear(batch);
      return new Promise((resolve, reject) => {
        this.#replies.push({ take: resolve, fail: () => reject(new Error('a listener has thrown')) });
      });
    },
    tell: null,
  });

  #hear(batch: readonly Delivered[]): void {
    this.batches.push(batch.map(withoutPlace));
    this.places.push(...batch.map(({ place }) => place.number));
    for (const { place } of batch) this.sequences.add(place.sequence);
  }

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

describe('the place of a delivery', () => {
  test('counts from 1 on, over all batches, in a sequence of one name', async () => {
    const reader = new Reader();
    await reader.put(ticking(1), ticking(2));
    await reader.put(ticking(3));
    await reader.take(0);
    await reader.put(ticking(4));
    await reader.take(1);
    expect(reader.places).toEqual([1, 2, 3, 4]);
    expect([...reader.sequences]).toEqual(['life 1']);
  });

  test('leaves no gap where a state was replaced before it was told', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    for (const loaded of [1, 2, 3]) reader.mailbox.put(progress(loaded), 'progress');
    await reader.put(ticking(2));
    await reader.take(0);
    expect(reader.batches[1]).toEqual([progress(3), ticking(2)]);
    expect(reader.places).toEqual([1, 2, 3]);
  });

  test('is the same when it is told again, and what follows goes on from there', async () => {
    const reader = new Reader();
    await reader.put(ticking(1), ticking(2));
    await reader.put(ticking(3));
    reader.mailbox.resend();
    expect(reader.places).toEqual([1, 2, 1, 2, 3]);
    await reader.put(ticking(4));
    await reader.take(1);
    expect(reader.places.at(-1)).toBe(4);
  });

  test('is kept by a state that was told, though a newer one follows it', async () => {
    const reader = new Reader();
    reader.mailbox.put(progress(1), 'progress');
    await settle();
    reader.mailbox.put(progress(2), 'progress');
    reader.mailbox.resend();
    expect(reader.batches[1]).toEqual([progress(1), progress(2)]);
    expect(reader.places).toEqual([1, 1, 2]);
  });
});

describe('flushed', () => {
  test('what waits goes at once, though the page has not taken what went before', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    reader.mailbox.put(ticking(3));
    void reader.mailbox.flush();
    expect(reader.batches).toEqual([[ticking(1)], [ticking(2), ticking(3)]]);
    expect(reader.places).toEqual([1, 2, 3]);
  });

  test('it goes once', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    void reader.mailbox.flush();
    await reader.take(0);
    await reader.take(1);
    expect(reader.batches).toEqual([[ticking(1)], [ticking(2)]]);
  });

  test('and what comes later goes at once, since the page acknowledges nothing any more', async () => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    void reader.mailbox.flush();
    await reader.put(ticking(3), ticking(4));
    await reader.put(ticking(5));
    expect(reader.batches.slice(2)).toEqual([[ticking(3), ticking(4)], [ticking(5)]]);
    expect(reader.places).toEqual([1, 2, 3, 4, 5]);
  });

  test.each(['take', 'fail'] as const)('it resolves when the page has taken it (%s)', async (how) => {
    const reader = new Reader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    let done = false;
    void reader.mailbox.flush().then(() => (done = true));
    await reader.take(0);
    expect(done).toBe(false);
    await reader[how](1);
    expect(done).toBe(true);
  });

  test('an empty mailbox says nothing', async () => {
    const reader = new Reader();
    await reader.mailbox.flush();
    expect(reader.batches).toEqual([]);
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

/** Collects the heap. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') Reflect.apply(gc, null, []);
}

function hearing(reader: Reader): {
  readonly put: (...loops: number[]) => Promise<void>;
  readonly taken: number[];
} {
  const taken: number[] = [];
  return {
    taken,
    put: async (...loops) => {
      for (const loop of loops) reader.mailbox.put(ticking(loop), null, () => taken.push(loop));
      await settle();
    },
  };
}

describe('that the page has taken something', () => {
  test('is heard with the acknowledgement of its batch, in order, before the next batch is taken', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1, 2);
    await put(3);
    expect(taken).toEqual([]);
    await reader.take(0);
    expect(taken).toEqual([1, 2]);
    await reader.take(1);
    expect(taken).toEqual([1, 2, 3]);
  });

  test('is heard as well where a listener of the page has thrown', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1);
    await reader.fail(0);
    expect(taken).toEqual([1]);
  });

  test('is heard of what was told again', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1);
    await put(2);
    reader.mailbox.resend();
    await reader.take(1);
    expect(taken).toEqual([1, 2]);
  });

  test('is heard once of what was told again, of the later time', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1);
    reader.mailbox.resend();
    await reader.take(0);
    expect(taken).toEqual([]);
    await reader.take(1);
    expect(taken).toEqual([1]);
  });

  test('frees what was told, though another time before that the page never answered', async () => {
    const reader = new Reader();
    const tell = async (batch: number): Promise<WeakRef<object>> => {
      const delivery = ticking(batch);
      reader.mailbox.put(delivery);
      await settle();
      reader.mailbox.resend();
      await reader.take(batch);
      return new WeakRef(delivery);
    };
    const told = [await tell(1), await tell(3), await tell(5)];
    reader.batches.length = 0;
    await settle();
    collect();
    expect(told.filter((each) => each.deref())).toEqual([]);
  });

  test('is heard of what was flushed', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1);
    await put(2);
    void reader.mailbox.flush();
    await reader.take(1);
    expect(taken).toEqual([2]);
  });

  test('is not heard of what was never told', async () => {
    const reader = new Reader();
    const { put, taken } = hearing(reader);
    await put(1);
    await put(2);
    reader.mailbox.close();
    await reader.take(0);
    expect(taken).toEqual([1]);
  });
});

describe('what is made when it is told', () => {
  test('is made once, as late as it goes, and told again as it was', async () => {
    const reader = new Reader();
    let made = 0;
    await reader.put(ticking(0));
    reader.mailbox.put(() => ticking((made += 1)));
    await settle();
    expect(made).toBe(0);
    await reader.take(0);
    reader.mailbox.resend();
    await settle();
    expect(reader.batches.slice(1)).toEqual([[ticking(1)], [ticking(1)]]);
  });

  test('is not made where a newer one of the same name takes its place', async () => {
    const reader = new Reader();
    const made: number[] = [];
    await reader.put(ticking(0));
    for (const loop of [1, 2]) {
      reader.mailbox.put(() => {
        made.push(loop);
        return ticking(loop);
      }, 'state');
    }
    await reader.take(0);
    expect([made, reader.batches[1]]).toEqual([[2], [ticking(2)]]);
  });
});

/** A page that says only of what is heavy that it has taken it. */
class LightReader {
  /** What went, and whether the page is to say that it has taken it. */
  readonly went: (readonly [how: 'told' | 'delivered', deliveries: readonly Delivery[]])[] = [];
  readonly #replies: (() => void)[] = [];
  readonly mailbox: Mailbox = new Mailbox('life 1', {
    deliver: (batch) => {
      this.went.push(['delivered', batch.map(withoutPlace)]);
      return new Promise((resolve) => {
        this.#replies.push(resolve);
      });
    },
    tell: (batch) => void this.went.push(['told', batch.map(withoutPlace)]),
  });

  async put(...deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) this.mailbox.put(delivery);
    await settle();
  }

  async take(): Promise<void> {
    this.#replies.shift()?.();
    await settle();
  }

  get kinds(): string[] {
    return this.went.map(([how]) => how);
  }
}

/** What a page says that it has taken. */
const heavy: Delivery = { kind: 'settled', id: 1, outcome: answeredBytes() };

function tick(body: SentBody, wish: Partial<Ticked> = {}): Ticked {
  const { answer, ...rest } = answered();
  return { kind: 'tick', loop: 1, outcome: { ...rest, answer: { ...answer, body } }, nextIn: 0, ...wish };
}

function value(of: unknown): SentBody {
  return { kind: 'value', value: of };
}

function patches(rows: string): SentBody {
  const change = { kind: 'list', runs: [-1, 1], rows } as const;
  return {
    kind: 'patches',
    from: { lineage: 'a', number: 1 },
    patches: [{ path: [], envelope: null, change }],
  };
}

describe('what is light', () => {
  const settled = heavy;

  test.each<[string, Delivery, 'told' | 'delivered']>([
    ['what has changed in a state', tick(patches('[1]')), 'told'],
    ['that nothing has', tick({ kind: 'patches', from: { lineage: 'a', number: 1 }, patches: [] }), 'told'],
    ['that something has, where the page asks for parts', tick({ kind: 'unsent' }), 'told'],
    ['a failure', { ...tick(value(1)), outcome: failed('network') }, 'told'],
    ['a step', ticking(1), 'told'],
    ['much that has changed', tick(patches(`["${'x'.repeat(10_000)}"]`)), 'delivered'],
    ['a short value', tick(value({ a: [1, 'two', null], b: {} })), 'told'],
    ['a long text', tick(value(['x'.repeat(10_000)])), 'delivered'],
    ['many small members', tick(value(Array.from({ length: 10_000 }, () => 1))), 'delivered'],
    ['many, each with a few', tick(value(Array.from({ length: 3_000 }, () => ({ a: 'b' })))), 'delivered'],
    ['long names', tick(value({ ['x'.repeat(10_000)]: 1 })), 'delivered'],
    ['what lies deep', tick(value(JSON.parse('['.repeat(9_000) + ']'.repeat(9_000)))), 'delivered'],
    ['an answer of a feed', tick(patches('[1]'), { entry: { log: 'a', offset: 1 } }), 'delivered'],
    ['a body in few words', tick({ kind: 'json', text: '[1]' }), 'told'],
    ['one in many', tick({ kind: 'json', text: `["${'x'.repeat(10_000)}"]` }), 'delivered'],
    ['the bytes of a call', settled, 'delivered'],
    ['the failure of a call', { kind: 'settled', id: 1, outcome: failed('network') }, 'told'],
    ['its answer in few words', { kind: 'settled', id: 1, outcome: answered() }, 'told'],
  ])('need not be acknowledged, what is not has to be: %s', async (_what, delivery, how) => {
    const reader = new LightReader();
    await reader.put(delivery);
    expect(reader.kinds).toEqual([how]);
  });

  test('is found out by a look at a few members of many', async () => {
    let looks = 0;
    const members = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index]),
    );
    const get: ProxyHandler<object>['get'] = (target, name) => {
      looks += 1;
      return Reflect.get(target, name);
    };
    await new LightReader().put(tick(value(new Proxy(members, { get }))));
    expect(looks).toBeLessThan(10_000);
  });

  test('is delivered with what is not', async () => {
    const reader = new LightReader();
    await reader.put(ticking(1), settled);
    expect(reader.went).toEqual([['delivered', [ticking(1), settled]]]);
  });

  test('waits for what is not, and goes on its own after that', async () => {
    const reader = new LightReader();
    await reader.put(settled);
    await reader.put(ticking(1));
    expect(reader.kinds).toEqual(['delivered']);
    await reader.take();
    expect(reader.kinds).toEqual(['delivered', 'told']);
  });

  test('is acknowledged once in a while: a page that cannot keep up is not flooded', async () => {
    const reader = new LightReader();
    for (let loop = 0; loop < 20; loop += 1) await reader.put(ticking(loop));
    const sixteen = Array.from({ length: 16 }, () => 'told');
    expect(reader.kinds).toEqual([...sixteen, 'delivered']);
    await reader.take();
    expect(reader.kinds).toEqual([...sixteen, 'delivered', 'told']);
    expect(reader.went.at(-1)?.[1]).toHaveLength(3);
  });

  test('is told again, as far as the page has not said that it keeps up', async () => {
    const reader = new LightReader();
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    reader.mailbox.resend();
    await settle();
    expect(reader.went.at(-1)).toEqual(['delivered', [ticking(1), ticking(2)]]);
  });

  test('is not told a third time to a page that has heard it again', async () => {
    const reader = new LightReader();
    await reader.put(ticking(1));
    reader.mailbox.resend();
    await reader.take();
    await reader.put(ticking(2));
    reader.mailbox.resend();
    await settle();
    expect(reader.went).toEqual([
      ['told', [ticking(1)]],
      ['delivered', [ticking(1)]],
      ['told', [ticking(2)]],
      ['delivered', [ticking(2)]],
    ]);
  });
});

/** Everything that a carrier took. */
function carried(reader: LightReader): [told: (readonly Delivery[])[], release: (() => boolean) | null] {
  const told: (readonly Delivery[])[] = [];
  return [told, reader.mailbox.carry((batch) => told.push(batch.map(withoutPlace)))];
}

describe('what goes to the page anyway', () => {
  test('takes the next news along, once, which counts as told', async () => {
    const reader = new LightReader();
    const [told, release] = carried(reader);
    await reader.put(ticking(1), ticking(2));
    await reader.put(ticking(3));
    expect(told).toEqual([[ticking(1), ticking(2)]]);
    expect(reader.went).toEqual([['told', [ticking(3)]]]);
    expect(release?.()).toBe(false);
    reader.mailbox.resend();
    await settle();
    expect(reader.went.at(-1)).toEqual(['delivered', [ticking(1), ticking(2), ticking(3)]]);
  });

  test('goes without, where it is to go before there is any', async () => {
    const reader = new LightReader();
    const [told, release] = carried(reader);
    expect(release?.()).toBe(true);
    await reader.put(ticking(1));
    expect(told).toEqual([]);
    expect(reader.kinds).toEqual(['told']);
  });

  test('takes nothing along that is to be acknowledged', async () => {
    const reader = new LightReader();
    const [told] = carried(reader);
    await reader.put(ticking(1), heavy);
    expect(reader.went).toEqual([['delivered', [ticking(1), heavy]]]);
    await reader.put(ticking(2));
    expect(told).toEqual([]);
    await reader.take();
    expect(told).toEqual([[ticking(2)]]);
  });

  test('takes no chunk along', async () => {
    const reader = new LightReader();
    const [told] = carried(reader);
    await reader.put(chunk(0));
    expect(told).toEqual([]);
    expect(reader.went).toEqual([['told', [chunk(0)]]]);
  });

  test('takes turns, the first of several first', async () => {
    const reader = new LightReader();
    const [[first], [second]] = [carried(reader), carried(reader)];
    await reader.put(ticking(1));
    await reader.put(ticking(2));
    expect([first, second]).toEqual([[[ticking(1)]], [[ticking(2)]]]);
  });

  test('takes nothing along that comes after a greeting, where nobody would hear it', async () => {
    const reader = new LightReader();
    const [told, release] = carried(reader);
    reader.mailbox.resend();
    await reader.put(ticking(1));
    expect(told).toEqual([[]]);
    expect(release?.()).toBe(false);
    expect(reader.went).toEqual([['told', [ticking(1)]]]);
  });

  test('is not asked where the page acknowledges all', () => {
    const { mailbox } = new Reader();
    expect(mailbox.carry(() => {})).toBeNull();
  });
});

function chunk(index: number): Delivery {
  return { kind: 'chunk', to: { loop: 1 }, index, path: [], text: '[]' };
}

/** Puts a state of so many chunks, and what ends it; returns what was made of it so far. */
function putChunks({ mailbox }: Pick<Reader, 'mailbox'>, count: number, end: Delivery): readonly Delivery[] {
  const made: Delivery[] = [];
  const all = [...chunks(count), end];
  const each = all.map((delivery) => (): Delivery => {
    made.push(delivery);
    return delivery;
  });
  mailbox.put(() => each, 'state');
  return made;
}

function chunks(count: number): Delivery[] {
  return Array.from({ length: count }, (_, index) => chunk(index));
}

describe('a body in chunks', () => {
  test('goes chunk by chunk, eight at a time, and each is made when it goes', async () => {
    const reader = new Reader();
    const made = putChunks(reader, 9, ticking(1));
    await reader.put(ticking(2));
    expect(reader.batches).toEqual(chunks(8).map((each) => [each]));
    expect(made).toHaveLength(8);
    await reader.take(0);
    expect(reader.batches.slice(8)).toEqual([[chunk(8)]]);
    await reader.take(1);
    expect(reader.batches.slice(9)).toEqual([[ticking(1), ticking(2)]]);
    await reader.put(ticking(3));
    for (let batch = 2; batch < 9; batch += 1) await reader.take(batch);
    expect(reader.batches).toHaveLength(10);
    await reader.take(9);
    expect(reader.batches.slice(10)).toEqual([[ticking(3)]]);
    expect(reader.places).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('is acknowledged at every fourth chunk, and at its end', async () => {
    const reader = new LightReader();
    putChunks(reader, 10, tick({ kind: 'chunked', path: [], envelope: 'null', chunks: 10 }));
    await settle();
    const four = ['told', 'told', 'told', 'delivered'];
    expect(reader.kinds).toEqual([...four, ...four]);
    await reader.take();
    expect(reader.kinds.slice(8)).toEqual(['told', 'told', 'delivered']);
    await reader.put(ticking(2));
    expect(reader.went).toHaveLength(11);
    for (const _ of [5, 11]) await reader.take();
    expect(reader.went.slice(11)).toEqual([['told', [ticking(2)]]]);
  });

  test('waits for what went before', async () => {
    const reader = new Reader();
    reader.mailbox.put(ticking(0));
    putChunks(reader, 1, ticking(1));
    await settle();
    expect(reader.batches).toEqual([[ticking(0)]]);
    await reader.take(0);
    expect(reader.batches.slice(1)).toEqual([[chunk(0)], [ticking(1)]]);
  });

  test('is told to its end, and of what came meanwhile the newest after it', async () => {
    const reader = new Reader();
    putChunks(reader, 9, ticking(1));
    await settle();
    for (const end of [2, 3]) putChunks(reader, 1, ticking(end));
    for (let batch = 0; batch < 12; batch += 1) await reader.take(batch);
    expect(reader.batches.flat()).toEqual([...chunks(9), ticking(1), chunk(0), ticking(3)]);
    expect(reader.places).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('is told again from what the page has not said that it has taken, in order', async () => {
    const reader = new LightReader();
    putChunks(reader, 10, ticking(1));
    await settle();
    await reader.take();
    reader.mailbox.resend();
    await settle();
    const again = reader.went.slice(11).flatMap(([, deliveries]) => deliveries);
    expect(again).toEqual([...chunks(10).slice(4), ticking(1)]);
  });

  test('is told again as a whole where nobody has said a word, whatever is acknowledged late', async () => {
    const reader = new Reader();
    putChunks(reader, 3, ticking(1));
    await settle();
    reader.mailbox.resend();
    await reader.take(0);
    reader.mailbox.resend();
    const all = [...chunks(3), ticking(1)];
    expect(reader.batches.flat()).toEqual([...all, ...all, ...all]);
    expect(reader.places).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
  });

  test('goes at once where it is flushed', async () => {
    const reader = new Reader();
    putChunks(reader, 10, ticking(1));
    await reader.put(ticking(2));
    void reader.mailbox.flush();
    expect(reader.batches.slice(8)).toEqual([[chunk(8)], [chunk(9)], [ticking(1), ticking(2)]]);
    expect(reader.places).toHaveLength(12);
  });

  test('is taken with its end', async () => {
    const reader = new Reader();
    let taken = 0;
    reader.mailbox.put(
      () => [() => chunk(0), () => ticking(1)],
      null,
      () => (taken += 1),
    );
    await settle();
    await reader.take(0);
    expect(taken).toBe(0);
    await reader.take(1);
    expect(taken).toBe(1);
  });
});
