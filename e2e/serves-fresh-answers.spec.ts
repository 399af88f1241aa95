import type { Page } from '@playwright/test';
import type { Heard } from './page/witness.ts';
import { snippet } from './guide.ts';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

/** One GET of `/fresh` by a resource of its own: what was heard of it. */
function get(page: Page, options = {}): Promise<Heard | undefined> {
  return page.evaluate(async (given) => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/fresh' } });
    const heard = window.witness.record(photo, 'success', 'error');
    await window.witness.ending(photo.result(photo.get({}, null, given)));
    return heard[0];
  }, options);
}

test.beforeEach(({ server }) => {
  let asked = 0;
  server.on('GET /fresh', (exchange) =>
    sendJson(exchange, { asked: (asked += 1) }, { 'Cache-Control': 'max-age=600' }),
  );
  server.on('PUT /fresh', (exchange) => sendJson(exchange, {}, { 'Cache-Control': 'no-store' }));
});

test('a fresh answer is served to every tab without a request, by new workers too', async ({
  page,
  openTab,
  stopWorkers,
}) => {
  expect(await get(page)).toMatchObject({ servedFrom: 'network', response: { asked: 1 } });
  const tab = await openTab();
  await stopWorkers();
  for (const each of [page, tab])
    expect(await get(each)).toMatchObject({ servedFrom: 'cache', stale: false, response: { asked: 1 } });
  expect(await get(page, { reload: true })).toMatchObject({ servedFrom: 'network', response: { asked: 2 } });
  expect(await get(tab)).toMatchObject({ servedFrom: 'cache', response: { asked: 2 } });
});

test('after a write to its URL it is asked for', async ({ page }) => {
  await get(page);
  await page.evaluate(async () => {
    const photo = new window.offstage.Resource({ put: { method: 'PUT', url: '/fresh' } });
    await photo.result(photo.put({}, { title: 'Dusk' }));
  });
  expect(await get(page)).toMatchObject({ servedFrom: 'network', response: { asked: 2 } });
});

test('a policy decides for an action and a call', async ({ page, server }) => {
  expect(await get(page, { cache: 'cache-only' })).toMatchObject({ code: 'offline' });
  await get(page);
  expect(await get(page, { cache: 'network-first' })).toMatchObject({ response: { asked: 2 } });
  await server.down();
  expect(await get(page, { cache: 'network-first' })).toMatchObject({ stale: true, response: { asked: 2 } });
  expect(await get(page, { cache: 'cache-first' })).toMatchObject({ stale: false, response: { asked: 2 } });
  expect(await get(page, { cache: 'network-only' })).toMatchObject({ code: 'network' });
});

test('the example of the guide asks twice for three calls', async ({ page, server }) => {
  let asked = 0;
  server.on('GET /photo/1', (exchange) => {
    asked += 1;
    sendJson(exchange, { id: 1 }, { 'Cache-Control': 'max-age=60' });
  });
  const code = await snippet('freshness.md', 'reload: true');
  const content = `const { Resource } = window.offstage;\n${code}\ndocument.title = 'Played';`;
  await page.addScriptTag({ type: 'module', content });
  await expect(page).toHaveTitle('Played');
  expect(asked).toBe(2);
});

test('what is stored is listed, read and removed, as the guide shows', async ({ page, server }) => {
  server.on('GET /photo/1', (exchange) => sendJson(exchange, { id: 1 }, { 'Cache-Control': 'max-age=60' }));
  await page.evaluate(async () => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
    await photo.result(photo.get());
  });
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  const code = (await snippet('freshness.md', 'cache.list()')).replace(
    "await connection.cache.remove('/photo/1');",
    "console.log(await response.json());\nawait connection.cache.remove('/photo/1');",
  );
  const content = `const connection = window.offstage.connect();\n${code}\ndocument.title = 'Played';`;
  await page.addScriptTag({ type: 'module', content });
  await expect(page).toHaveTitle('Played');
  expect(told[0]).toContain(`${server.url}/photo/1`);
  expect(told[1]).toContain('id: 1');
  const left = await page.evaluate(async () => {
    const urls: string[] = [];
    for await (const { url } of window.offstage.connect().cache.list()) urls.push(url);
    return urls;
  });
  expect(left).toEqual([]);
});
