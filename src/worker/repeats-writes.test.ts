import { describe, expect, test } from 'vitest';
import type { Policy } from '../shared/invocation.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** A server that shows what was written last, and does with each request what a test has it do. */
class Shop {
  readonly system = new FakeSystem();
  readonly tab: Tab;
  /** What has been written, in order. */
  readonly written: string[] = [];
  answer: (text: string) => Response | Promise<Response> = () => json({});
  /** Answers the request that is held. */
  letGo: (response: Response) => void = () => {};

  constructor() {
    this.system.grant();
    this.system.serve = async ({ init }) => {
      const text = typeof init.body === 'string' ? init.body : '';
      const response = this.answer(text);
      if (!(response instanceof Response) || response.ok) this.written.push(text);
      return response;
    };
    const house = houseOf(this.system);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
  }

  async put(id: number, text: string, template = '/photo', policy: Partial<Policy> = {}): Promise<void> {
    const body = { kind: 'text', text } as const;
    await this.tab.submitAll([
      submission(id, { method: 'PUT', template, body, policy: { retry: 2, ...policy } }),
    ]);
    await settle();
  }

  /** Holds a request until `letGo`. */
  readonly hold = (): Promise<Response> => new Promise((resolve) => (this.letGo = resolve));

  /** How each call ended, in order. */
  get ends(): unknown[] {
    return this.tab.deliveries.flatMap((each) => {
      if (each.kind !== 'settled') return [];
      const { id, outcome } = each;
      return [[id, outcome.kind === 'failed' ? outcome.failure : outcome.answer.status]];
    });
  }
}

function busy(): Response {
  return json({ why: 'busy' }, { 'Retry-After': '1' }, 503);
}

/** A PUT waits to be repeated. */
async function waiting(): Promise<Shop> {
  const shop = new Shop();
  await shop.tab.greet();
  shop.answer = busy;
  await shop.put(1, 'older');
  return shop;
}

const BUSY = expect.objectContaining({ code: 'http', status: 503 });

describe('a PUT that waits to be repeated', () => {
  test('is repeated', async () => {
    const shop = await waiting();
    shop.answer = () => json({});
    await shop.system.clock.advance(5_000);
    expect([shop.written, shop.ends]).toEqual([['older'], [[1, 200]]]);
  });

  test('is given up once a newer one to the same URL is done, which it would undo', async () => {
    const shop = await waiting();
    shop.answer = () => json({});
    await shop.put(2, 'newer');
    await shop.system.clock.advance(5_000);
    expect(shop.written).toEqual(['newer']);
    expect(shop.ends).toEqual([
      [2, 200],
      [1, BUSY],
    ]);
  });

  test('waits for a newer one that is on its way, and is given up when that is done', async () => {
    const shop = await waiting();
    shop.answer = shop.hold;
    await shop.put(2, 'newer');
    await shop.system.clock.advance(5_000);
    shop.letGo(json({}));
    await shop.system.clock.advance(5_000);
    expect(shop.written).toEqual(['newer']);
    expect(shop.ends).toEqual([
      [2, 200],
      [1, BUSY],
    ]);
  });

  test('is repeated where the newer one is refused, or is to another URL', async () => {
    const shop = await waiting();
    shop.answer = (text) => (text === 'refused' ? json({}, {}, 409) : json({}));
    await shop.put(2, 'refused');
    await shop.put(3, 'another', '/other');
    await shop.system.clock.advance(5_000);
    expect(shop.written).toEqual(['another', 'older']);
  });

  test.each([500, 502, 504])(
    'is given up where the newer one ends with %d, for the server behind may have done it',
    async (status) => {
      const shop = await waiting();
      shop.answer = (text) => (text === 'newer' ? json({}, {}, status) : json({}));
      await shop.put(2, 'newer', '/photo', { retry: 0 });
      await shop.system.clock.advance(5_000);
      expect(shop.written).toEqual([]);
      expect(shop.ends).toEqual([
        [2, expect.objectContaining({ status })],
        [1, BUSY],
      ]);
    },
  );

  test('is given up where the network went while the newer one was out', async () => {
    const shop = await waiting();
    shop.answer = async (text) => {
      if (text !== 'newer') return json({});
      shop.system.online = false;
      throw new TypeError('the network has changed');
    };
    await shop.put(2, 'newer');
    shop.system.online = true;
    await shop.system.clock.advance(5_000);
    expect(shop.written).toEqual(['newer']);
    expect(shop.ends).toEqual([
      [2, expect.objectContaining({ code: 'offline' })],
      [1, BUSY],
    ]);
  });

  test('leaves it to a newer one that waits as well', async () => {
    const shop = await waiting();
    await shop.put(2, 'newer');
    shop.answer = () => json({});
    await shop.system.clock.advance(5_000);
    expect(shop.written).toEqual(['newer']);
  });
});

test('a PUT that fails after a newer one was done is told at once, with what its server said', async () => {
  const shop = new Shop();
  await shop.tab.greet();
  shop.answer = (text) => (text === 'older' ? shop.hold() : json({}));
  await shop.put(1, 'older');
  await shop.put(2, 'newer');
  shop.letGo(busy());
  await settle();
  expect(shop.ends).toEqual([
    [2, 200],
    [1, expect.objectContaining({ status: 503, body: { why: 'busy' } })],
  ]);
});

/** The server does the newer PUT, and answers it so; the older one waits to be repeated meanwhile. */
async function doneWith(answer: () => Response, policy: Partial<Policy> = {}): Promise<Shop> {
  const shop = await waiting();
  shop.answer = () => json({});
  shop.system.serve = async ({ init }) => {
    const text = typeof init.body === 'string' ? init.body : '';
    shop.written.push(text);
    return text === 'newer' ? answer() : json({});
  };
  await shop.put(2, 'newer', '/photo', policy);
  await shop.system.clock.advance(5_000);
  return shop;
}

function lost(): never {
  throw new TypeError('network');
}

describe('a PUT is not repeated after a newer one that its server has done, or may have done', () => {
  test.each<[string, () => Response, Partial<Policy>]>([
    [
      'whose 200 says JSON and is none',
      () => new Response('OK', { headers: { 'Content-Type': 'application/json' } }),
      {},
    ],
    [
      'whose 200 is larger than an answer may be',
      () => json({ all: 'x'.repeat(2_000) }),
      { answerSize: 1_000 },
    ],
    [
      'which was answered with 303 See Other',
      () => new Response(null, { status: 303, headers: { Location: '/photo' } }),
      {},
    ],
    ['whose answer was lost on its way', lost, { retry: 0 }],
  ])('%s', async (_name, answer, policy) => {
    expect((await doneWith(answer, policy)).written).toEqual(['newer']);
  });

  test('whose answer was lost, and which was refused when it was repeated', async () => {
    let asked = 0;
    const shop = await doneWith(() => ((asked += 1) === 1 ? lost() : json({}, {}, 409)), { retry: 1 });
    expect(shop.written).toEqual(['newer', 'newer']);
  });

  test.each([500, 502, 504])('which a gateway answered with %i, and then refused', async (status) => {
    let asked = 0;
    const answer = (): Response => json({}, {}, (asked += 1) === 1 ? status : 409);
    const shop = await doneWith(answer, { retry: 1 });
    expect(shop.written).toEqual(['newer', 'newer']);
  });

  test('a DELETE that a gateway answered with 504, and that found nothing when it was repeated', async () => {
    const shop = await waiting();
    const asked: unknown[] = [];
    shop.system.serve = async ({ init: { method } }) => {
      const isFirst = asked.push(method) === 1;
      return method === 'DELETE' ? json({}, {}, isFirst ? 504 : 404) : json({});
    };
    await shop.tab.submitAll([submission(2, { method: 'DELETE', template: '/photo', policy: { retry: 2 } })]);
    await shop.system.clock.advance(5_000);
    expect(asked).toEqual(['DELETE', 'DELETE']);
    expect(shop.ends).toEqual([
      [2, 404],
      [1, BUSY],
    ]);
  });
});

test('a PUT is repeated after a newer one that never went out', async () => {
  const shop = await waiting();
  shop.answer = () => json({});
  shop.system.online = false;
  const { serve } = shop.system;
  shop.system.serve = () => Promise.reject(new TypeError('network'));
  await shop.put(2, 'newer');
  shop.system.online = true;
  shop.system.serve = serve;
  await shop.system.clock.advance(5_000);
  expect(shop.written).toEqual(['older']);
});
