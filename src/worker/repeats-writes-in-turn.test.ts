import { expect, test } from 'vitest';
import type { Policy } from '../shared/invocation.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

/** As many requests as one page may have out while no other has any (docs/guide/limits.md). */
const ALL_OF_ONE_PAGE = 120;

/** Two tabs that write to one URL, and of which one has as many requests out as it may have. */
class Shop {
  readonly system = new FakeSystem();
  readonly tab: Tab;
  readonly other: Tab;
  /** The texts of the writes that went out, in order. */
  readonly sent: string[] = [];
  answer: () => Response | Promise<Response> = () => json({});
  /** Each ends one of the slow requests. */
  readonly slow: ((response: Response) => void)[] = [];

  constructor() {
    this.system.grant();
    this.system.serve = async ({ url, init }) => {
      // As fetch does: it sends nothing.
      if (init.signal?.aborted) throw new DOMException('aborted', 'AbortError');
      if (url.includes('/slow')) return new Promise((resolve) => this.slow.push(resolve));
      if (typeof init.body === 'string') this.sent.push(init.body);
      return this.answer();
    };
    const house = houseOf(this.system);
    const receive: Receive = (source, envelope) => house.receive(source, envelope);
    this.tab = new Tab(receive);
    this.other = new Tab(receive, 'client 2', 'session 2');
  }

  async put(tab: Tab, text: string, policy: Partial<Policy> = {}): Promise<void> {
    const body = { kind: 'text', text } as const;
    const options = { method: 'PUT', template: '/photo', body, policy: { retry: 2, ...policy } };
    await tab.submitAll([submission(1, options)]);
    await settle();
  }

  /** The tab has as many requests out as it may have, and none of them is answered. */
  async fill(tab: Tab): Promise<void> {
    const ids = Array.from({ length: ALL_OF_ONE_PAGE }, (_, nth) => 1_000 + nth);
    await tab.submitAll(ids.map((id) => submission(id, { template: `/slow/${id}` })));
    await settle();
  }
}

type Receive = ConstructorParameters<typeof Tab>[0];

/** A PUT of the first tab was refused for the moment, and waits a second to be repeated. */
async function waiting(): Promise<Shop> {
  const shop = new Shop();
  await shop.tab.greet();
  await shop.other.greet();
  shop.answer = () => json({ why: 'busy' }, { 'Retry-After': '1' }, 503);
  await shop.put(shop.tab, 'older');
  shop.answer = () => json({});
  return shop;
}

test('a PUT is not repeated after a newer one that was done while it waited for its turn', async () => {
  const shop = await waiting();
  await shop.fill(shop.tab);
  // The older one is due, but its tab has too much out.
  await shop.system.clock.advance(2_000);
  expect(shop.sent).toEqual(['older']);
  await shop.put(shop.other, 'newer');
  expect(shop.other.settled).toEqual([1]);
  shop.slow[0]?.(json({}));
  await shop.system.clock.advance(2_000);
  expect(shop.sent).toEqual(['older', 'newer']);
  expect(shop.tab.settled).toContain(1);
});

test('a PUT whose turn has come waits for a newer one that has begun meanwhile, and is repeated when that is refused', async () => {
  const shop = await waiting();
  await shop.fill(shop.tab);
  await shop.system.clock.advance(2_000);
  const held: ((response: Response) => void)[] = [];
  shop.answer = () => new Promise((resolve) => held.push(resolve));
  await shop.put(shop.other, 'newer');
  shop.slow[0]?.(json({}));
  await shop.system.clock.advance(2_000);
  expect(shop.sent).toEqual(['older', 'newer']);
  shop.answer = () => json({});
  held[0]?.(json({}, {}, 409));
  await shop.system.clock.advance(0);
  expect(shop.sent).toEqual(['older', 'newer', 'older']);
});

test('a PUT is repeated after a newer one whose page gave it up before its turn', async () => {
  const shop = await waiting();
  await shop.fill(shop.other);
  await shop.put(shop.other, 'newer');
  await shop.other.remote.control({ kind: 'abort', ids: [1] });
  await shop.system.clock.advance(5_000);
  expect(shop.sent).toEqual(['older', 'older']);
});

test('a PUT is repeated after a newer one whose time was over before its turn', async () => {
  const shop = await waiting();
  await shop.fill(shop.other);
  await shop.put(shop.other, 'newer', { timeout: 500 });
  await shop.system.clock.advance(5_000);
  expect(shop.sent).toEqual(['older', 'older']);
});
