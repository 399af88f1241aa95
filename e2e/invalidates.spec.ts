import { sendJson } from './server/exchange.ts';
import { snippet } from './guide.ts';
import { expect, test } from './test.ts';

test('a write makes what it names stale, and loops of every tab ask for it at once', async ({
  page,
  openTab,
  server,
}) => {
  const asked: string[] = [];
  for (const path of ['/list', '/page/1', '/other'] as const)
    server.on(`GET ${path}`, (exchange) => {
      asked.push(path);
      sendJson(exchange, { asked: asked.length }, { 'Cache-Control': 'max-age=600' });
    });
  server.on('POST /item', (exchange) => sendJson(exchange, {}, {}, 201));
  const tab = await openTab();
  await tab.evaluate(() => {
    const list = new window.offstage.Resource({ get: { method: 'GET', url: '/list' } });
    list.poll('get', {}, { interval: 600_000 });
  });
  await expect.poll(() => asked).toEqual(['/list']);
  const read = () =>
    page.evaluate(async () => {
      const { Resource } = window.offstage;
      const items = new Resource({
        list: { method: 'GET', url: '/list' },
        page: { method: 'GET', url: '/page/{n}' },
        other: { method: 'GET', url: '/other' },
        add: { method: 'POST', url: '/item', invalidates: ['list', 'page'] },
      });
      Reflect.set(window, 'items', items);
      await items.result(items.page({ n: 1 }));
      await items.result(items.other());
    });
  await read();
  expect(asked).toEqual(['/list', '/page/1', '/other']);
  await page.evaluate(async () => {
    const items = Reflect.get(window, 'items');
    await items.result(items.add({}, { title: 'Dusk' }));
  });
  await expect.poll(() => asked.slice(3)).toEqual(['/list']);
  await read();
  expect(asked.slice(4)).toEqual(['/page/1']);
});

test('the example of the guide asks for the list again', async ({ page, server }) => {
  let asked = 0;
  server.on('GET /photos', (exchange) => {
    asked += 1;
    sendJson(exchange, [], { 'Cache-Control': 'max-age=60' });
  });
  server.on('POST /photos/new', (exchange) => sendJson(exchange, {}, {}, 201));
  const code = await snippet('freshness.md', "invalidates: ['list']");
  const content = `const { Resource } = window.offstage;\n${code}\ndocument.title = 'Played';`;
  await page.addScriptTag({ type: 'module', content });
  await expect(page).toHaveTitle('Played');
  expect(asked).toBe(2);
});
