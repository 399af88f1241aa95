import type { JSHandle, Page } from '@playwright/test';
import type { Shown } from './page/shelf.ts';
import { sendJson } from './server/exchange.ts';
import type { Exchange } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** A server with a list of things, which may take its time with writes, and refuse them. */
class Shelf {
  readonly rows = new Map<number, string>([[1, 'Dawn']]);
  readonly #keys = new Set<string>();
  effects = 0;
  /** What becomes of a write before it is performed, and before it is answered. */
  before: () => Promise<void> = async () => {};
  after: () => Promise<void> = async () => {};
  refuses = false;
  /** True while no request reaches it. */
  isAway = false;

  constructor(server: FixtureServer) {
    server.on('GET /shelf', (exchange) => {
      const rows = [...this.rows].map(([id, title]) => ({ id, title }));
      if (this.isAway) exchange.request.socket.destroy();
      else sendJson(exchange, rows, { 'Cache-Control': 'no-cache' });
    });
    server.on('POST /shelf', (exchange) =>
      this.#write(exchange, () => {
        const id = 10 + this.rows.size;
        this.rows.set(id, titleIn(exchange));
        return { id };
      }),
    );
    for (const id of [1, 11]) {
      const change = (exchange: Exchange): Promise<void> =>
        this.#write(exchange, () => {
          this.rows.set(id, titleIn(exchange));
          return {};
        });
      server.on(`PATCH /shelf/${id}`, change);
      server.on(`PUT /shelf/${id}`, change);
      server.on(`DELETE /shelf/${id}`, (exchange) =>
        this.#write(exchange, () => {
          this.rows.delete(id);
          return {};
        }),
      );
    }
  }

  async #write(exchange: Exchange, perform: () => object): Promise<void> {
    if (this.isAway) {
      exchange.request.socket.destroy();
      return;
    }
    await this.before();
    if (this.refuses) return sendJson(exchange, {}, {}, 422);
    const key = String(exchange.request.headers['idempotency-key'] ?? this.effects);
    const isNew = !this.#keys.has(key);
    this.#keys.add(key);
    const made = isNew ? perform() : {};
    if (isNew) this.effects += 1;
    await this.after();
    sendJson(exchange, made, {}, 201);
  }
}

function titleIn({ body }: Exchange): string {
  return String(Object(JSON.parse(body.toString())).title);
}

/** Follows the list, and waits until it is shown. */
async function follow(page: Page, interval = 200): Promise<JSHandle<Shown>> {
  const shown = await page.evaluateHandle((every) => window.shelf.follow(every), interval);
  await expect.poll(() => shown.evaluate(({ titles }) => titles.length)).toBeGreaterThan(0);
  return shown;
}

/** What was shown, and whether the store's model was the same. */
function allOf(shown: JSHandle<Shown>): Promise<readonly string[]> {
  return shown.evaluate(({ titles, models }) => {
    if (titles.join() !== models.join()) throw new Error(`${titles.join()} beside ${models.join()}`);
    return titles;
  });
}

test('a write is shown at once in every tab, offline, after a reload and a new worker, until it is done', async ({
  page,
  server,
  openTab,
  stopWorkers,
}) => {
  const shelf = new Shelf(server);
  const other = await openTab();
  const [shown, elsewhere] = [await follow(page), await follow(other)];
  shelf.isAway = true;
  const temporaryId = await page.evaluate(() => window.shelf.add('Dusk'));
  await page.evaluate((id) => window.shelf.rename(id, 'Night'), temporaryId);
  await page.evaluate(() => window.shelf.remove(1));
  const all = ['Dawn', 'Dawn Dusk', 'Dawn Night', 'Night'];
  expect(await allOf(shown)).toEqual(all);
  await expect.poll(() => allOf(elsewhere)).toEqual(all);

  await stopWorkers();
  await page.reload();
  const later = await follow(page);
  await expect.poll(() => later.evaluate(({ titles }) => titles.at(-1))).toBe('Night');

  shelf.isAway = false;
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await expect.poll(() => [...shelf.rows.values()]).toEqual(['Night']);
  await expect.poll(() => page.evaluate(() => window.offstage.connect().outbox.count)).toBe(0);
  // Some answers after that, nothing has flickered.
  await page.waitForTimeout(1_000);
  expect(await allOf(elsewhere)).toEqual(all);
  expect(shelf.effects).toBe(3);
});

test('an answer that comes while a write is under way does not show it twice', async ({ page, server }) => {
  const shelf = new Shelf(server);
  const shown = await follow(page, 100);
  shelf.after = () => new Promise((resolve) => setTimeout(resolve, 1_000));
  await page.evaluate(() => window.shelf.add('Dusk'));
  await expect.poll(() => page.evaluate(() => window.offstage.connect().outbox.count)).toBe(0);
  await page.waitForTimeout(500);
  expect(await allOf(shown)).toEqual(['Dawn', 'Dawn Dusk']);
});

test('what is refused is shown no more', async ({ page, server, openTab }) => {
  const shelf = new Shelf(server);
  const other = await openTab();
  const [shown, elsewhere] = [await follow(page), await follow(other)];
  shelf.refuses = true;
  await page.evaluate(() => window.shelf.add('Dusk'));
  await expect.poll(() => allOf(elsewhere)).toEqual(['Dawn', 'Dawn Dusk', 'Dawn']);
  expect(await allOf(shown)).toEqual(['Dawn', 'Dawn Dusk', 'Dawn']);
});

test('a call that is not queued is shown until an answer contains it, or until it fails', async ({
  page,
  server,
}) => {
  const shelf = new Shelf(server);
  const shown = await follow(page, 100);
  shelf.before = () => new Promise((resolve) => setTimeout(resolve, 500));
  expect(await page.evaluate(() => window.shelf.like(1, 'Dawn!'))).toBe('done');
  shelf.refuses = true;
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => window.shelf.like(1, 'Dawn?'))).toBe('failed');
  await page.waitForTimeout(500);
  expect(await allOf(shown)).toEqual(['Dawn', 'Dawn!', 'Dawn?', 'Dawn!']);
});
