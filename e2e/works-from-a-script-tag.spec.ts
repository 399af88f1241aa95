import { EventEmitter, once } from 'node:events';
import type { Page } from '@playwright/test';
import type { fw as classic } from 'offstage/fw';
import { snippet } from './guide.ts';
import { sendJson } from './server/exchange.ts';
import type { Exchange } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

declare global {
  /** What the script leaves on the page. */
  var fw: typeof classic;
  var offstage: typeof import('offstage');
  /** The example of the guide. */
  var photos: InstanceType<typeof classic.io.rest.Resource>;
  var list: InstanceType<typeof classic.ui.form.List>;
}

/** An interface whose list of photos is held back until it is another than the asker has. */
class Photos {
  readonly #rows: { readonly id: number; readonly title: string }[] = Array.from(
    { length: 100 },
    (_, id) => ({
      id,
      title: `Photo ${id}`,
    }),
  );
  #held: Exchange[] = [];

  serve(server: FixtureServer): void {
    server.on('GET /photos', (exchange) => {
      if (exchange.request.headers['if-none-match'] === this.#tag) this.#held.push(exchange);
      else this.#answer(exchange);
    });
    server.on('POST /photos', (exchange) => {
      this.#rows.unshift({
        id: this.#rows.length,
        title: new URLSearchParams(String(exchange.body)).get('title') ?? '',
      });
      sendJson(exchange, this.#rows[0], {}, 201);
      for (const held of this.#held.splice(0)) this.#answer(held);
    });
  }

  get #tag(): string {
    return `"${this.#rows.length}"`;
  }

  #answer(exchange: Exchange): void {
    sendJson(exchange, this.#rows, { ETag: this.#tag });
  }
}

async function openWebsite(page: Page): Promise<void> {
  await page.goto('/website.html');
}

test('the classic example binds a list to what the server has, and keeps its selection and its place', async ({
  page,
  server,
}) => {
  new Photos().serve(server);
  await openWebsite(page);
  await page.addScriptTag({ content: await snippet('coming-from-fw.md', 'fw.ui.form.List') });
  const rows = page.locator('offstage-list [part~=row]');
  await expect(rows.first()).toHaveText('Photo 0');
  await rows.filter({ hasText: /^Photo 2$/ }).click();
  const viewport = page.locator('offstage-list [part=viewport]');
  await viewport.evaluate((element) => (element.scrollTop = 1_000));
  const seen = rows.filter({ hasText: /^Photo 40$/ });
  await expect(seen).toBeInViewport();
  const before = await seen.boundingBox();

  await page.evaluate(async () => photos.result(photos.invoke('post', null, { title: 'New' })));
  await expect.poll(() => page.evaluate(() => list.model?.length)).toBe(101);
  expect(await seen.boundingBox()).toEqual(before);
  expect(await page.evaluate(() => list.selection)).toEqual([{ id: 2, title: 'Photo 2' }]);
  await viewport.evaluate((element) => (element.scrollTop = 0));
  await expect(rows.first()).toHaveText('New');
});

test('a plain resource hands out plain objects, from the worker that the tag names', async ({
  page,
  server,
}) => {
  await openWebsite(page);
  const told = await page.evaluate(async () => {
    const photo = new fw.bom.rest.Resource({
      get: { method: 'GET', url: '/photo/{id}', check: { id: fw.bom.rest.Resource.REQUIRED } },
    });
    const first = new Promise((resolve) => photo.once('getSuccess', resolve));
    photo.poll('get', 60_000, { id: 1 }, true);
    const { id, action, response, request } = Object(await first);
    photo.stopPollByAction('get');
    const second = new Promise((resolve) => photo.once('success', resolve));
    photo.restartPollByAction('get');
    const again = Object(await second);
    const { host, status } = offstage.connect({ serviceWorker: '/service-worker.js' });
    return { id, action, url: response.url, method: request.method, later: again.id > id, host, status };
  });
  expect(told).toEqual({
    id: expect.any(Number),
    action: 'get',
    url: '/photo/1',
    method: 'GET',
    later: true,
    host: 'service-worker',
    status: 'connected',
  });
  expect(server.journal.of('/photo/1')).toHaveLength(2);
});

test('a first call is answered before there is a worker', async ({ context, server }) => {
  const told = new EventEmitter();
  const isAnswered = once(told, 'answered');
  server.rewrite('/service-worker.js', async (script) => {
    await isAnswered;
    return script;
  });
  const page = await context.newPage();
  await openWebsite(page);
  const host = await page.evaluate(async () => {
    const photo = new offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
    await photo.result(photo.get());
    return offstage.connect({ serviceWorker: '/service-worker.js' }).host;
  });
  expect(host).toBeNull();
  told.emit('answered');
});

test('without a worker the engine is loaded from beside the script', async ({ page, server }) => {
  server.rewrite('/website.html', (file) => file.replace('/service-worker.js', '/missing.js'));
  await openWebsite(page);
  const response = await page.evaluate(async () => {
    const photo = new fw.io.rest.Resource({ get: { method: 'GET', url: '/photo/1' } });
    return photo.result(photo.get());
  });
  expect(response).toMatchObject({ url: '/photo/1', headers: { referer: `${server.url}/website.html` } });
});

test('as a module the script says how it is to be loaded', async ({ page, server, uncaught }) => {
  server.rewrite('/website.html', (file) => file.replace('<script', '<script type="module"'));
  await openWebsite(page);
  expect(uncaught.splice(0)).toEqual([
    expect.stringContaining('offstage.global.js is no module: load it by <script src='),
  ]);
});
