import type { Page } from '@playwright/test';
import { sendJson } from './server/exchange.ts';
import type { Exchange } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** Numbered changes, told from a place on: a request that has them all is held until there is another. */
class Changes {
  #last = 0;
  #held: Exchange[] = [];
  /** Places before this one are forgotten: they are answered with 410. */
  oldest = 0;

  serve(server: FixtureServer): this {
    server.on('GET /changes', (exchange) => this.#answer(exchange));
    server.on('GET /state', (exchange) => sendJson(exchange, { total: this.#last, last: this.#last }));
    return this;
  }

  make(count = 1): void {
    this.#last += count;
    for (const held of this.#held.splice(0)) this.#answer(held);
  }

  #answer(exchange: Exchange): void {
    const since = Number(exchange.url.searchParams.get('since') ?? 0);
    if (since < this.oldest) return sendJson(exchange, { gone: since }, {}, 410);
    if (since === this.#last) return void this.#held.push(exchange);
    // Two at a time, so that there is always more to ask for.
    const numbers = [since + 1, since + 2].filter((n) => n <= this.#last);
    return sendJson(exchange, { numbers, last: numbers.at(-1) });
  }
}

/** Follows the changes; returns what has been heard so far, at each look. */
async function follow(page: Page, catchUp = false): Promise<() => Promise<number[]>> {
  const heard = await page.evaluateHandle((withCatchUp) => {
    const numbers: number[] = [];
    const feed = new window.offstage.Resource({
      changes: { method: 'GET', url: '/changes' },
      state: { method: 'GET', url: '/state' },
    });
    feed.addListener('changesSuccess', ({ response }) => numbers.push(...Object(response).numbers));
    feed.addListener('stateSuccess', ({ response }) => numbers.push(-Object(response).total));
    feed.addListener('reset', () => numbers.push(Infinity));
    feed.longPoll(
      'changes',
      {},
      {
        cursor: {
          from: { body: '/last' },
          to: { query: 'since' },
          initial: 0,
          ...(withCatchUp ? { catchUp: 'state' as const } : {}),
        },
      },
    );
    return numbers;
  }, catchUp);
  return () => heard.evaluate((numbers) => [...numbers]);
}

function upTo(last: number, from = 1): number[] {
  return Array.from({ length: last - from + 1 }, (_, at) => from + at);
}

test('a feed tells every change once and in order, whatever becomes of the worker', async ({
  page,
  server,
  stopWorkers,
}) => {
  const changes = new Changes().serve(server);
  const heard = await follow(page);
  changes.make(5);
  await expect.poll(heard).toEqual(upTo(5));
  await stopWorkers();
  changes.make(4);
  await expect.poll(heard).toEqual(upTo(9));
  changes.make();
  await expect.poll(heard).toEqual(upTo(10));
  const asked = (): Set<string> => new Set(server.journal.of('/changes').map(({ url }) => url));
  await expect.poll(asked).toEqual(new Set([0, 2, 4, 5, 7, 9, 10].map((since) => `/changes?since=${since}`)));
});

test('a page that comes later goes on from where the feed is, and one that is loaded again', async ({
  page,
  server,
  openTab,
}) => {
  const changes = new Changes().serve(server);
  const first = await follow(page);
  changes.make(3);
  await expect.poll(first).toEqual(upTo(3));
  const second = await follow(await openTab());
  changes.make(2);
  await expect.poll(first).toEqual(upTo(5));
  await expect.poll(async () => (await second()).at(-1)).toBe(5);
  const told = await second();
  expect(told).toEqual(upTo(5, told[0]));
  expect(server.journal.open('/changes')).toHaveLength(1);

  await page.reload();
  await page.evaluate(async () => window.offstage.connect({ serviceWorker: '/service-worker.js' }).ready);
  const again = await follow(page);
  await expect.poll(() => followers(page)).toBe(2);
  changes.make(2);
  await expect.poll(async () => (await again()).at(-1)).toBe(7);
  const heard = await again();
  expect(heard).toEqual(upTo(7, heard[0]));
  expect(heard[0]).toBeLessThanOrEqual(6);
});

test('a feed whose place the server has forgotten says so, catches up and goes on', async ({
  page,
  server,
}) => {
  const changes = new Changes().serve(server);
  changes.make(4);
  const heard = await follow(page, true);
  await expect.poll(heard).toEqual([-4]);
  changes.make();
  await expect.poll(heard).toEqual([-4, 5]);
  await expect.poll(() => server.journal.open('/changes')).toHaveLength(1);
  changes.oldest = 100;
  changes.make(101);
  await expect.poll(heard).toEqual([-4, 5, Infinity, -106]);
  changes.make();
  await expect.poll(heard).toEqual([-4, 5, Infinity, -106, 107]);
});

/** How many pages follow the one loop. */
async function followers(page: Page): Promise<number | undefined> {
  const { loops } = await page.evaluate(() => window.offstage.connect().inspect());
  return loops[0]?.pages;
}
