import type { Page } from '@playwright/test';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** Makes so many equal calls in one turn; the answers come in `window.answers`. */
function call(page: Page, count: number): Promise<void> {
  return page.evaluate((times) => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/shared' } });
    const results = Array.from({ length: times }, () => photo.result(photo.get()));
    Reflect.set(window, 'answers', Promise.all(results));
  }, count);
}

function answers(page: Page): Promise<unknown> {
  return page.evaluate(() => Reflect.get(window, 'answers'));
}

/** A server that holds `GET /shared` until it is let answer; its answers count the requests. */
function held(server: FixtureServer): {
  readonly asked: () => number;
  readonly answer: () => void;
} {
  const waiting: (() => void)[] = [];
  let asked = 0;
  server.on('GET /shared', (exchange) => {
    const nth = (asked += 1);
    waiting.push(() => sendJson(exchange, { nth }, { 'Cache-Control': 'no-cache' }));
  });
  return {
    asked: () => asked,
    answer: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
}

test('a hundred equal calls of one turn are one request, and have the very same answer', async ({
  page,
  server,
}) => {
  const { asked, answer } = held(server);
  await call(page, 100);
  await expect.poll(asked).toBe(1);
  answer();
  expect(await answers(page)).toEqual(Array.from({ length: 100 }, () => ({ nth: 1 })));
  const objects = await page.evaluate(async () => new Set(await Reflect.get(window, 'answers')).size);
  expect([asked(), objects]).toEqual([1, 1]);
});

test('two tabs that ask for the same are one request', async ({ page, openTab, server }) => {
  const { asked, answer } = held(server);
  const tab = await openTab();
  await call(page, 1);
  await expect.poll(asked).toBe(1);
  await call(tab, 2);
  // The worker has the second tab's calls by the time that it answers the tab something else.
  await tab.evaluate(() => window.offstage.connect().inspect());
  answer();
  expect(await answers(page)).toEqual([{ nth: 1 }]);
  expect(await answers(tab)).toEqual([{ nth: 1 }, { nth: 1 }]);
  expect(asked()).toBe(1);
});

test('after a write that is awaited, a read shows what was written', async ({ page, server }) => {
  const { asked, answer } = held(server);
  server.on('POST /item', (exchange) => sendJson(exchange, {}));
  await call(page, 1);
  await expect.poll(asked).toBe(1);
  await page.evaluate(async () => {
    const item = new window.offstage.Resource({ add: { method: 'POST', url: '/item' } });
    await item.result(item.add({}, { title: 'Dusk' }));
  });
  await call(page, 1);
  await expect.poll(asked).toBe(2);
  answer();
  expect(await answers(page)).toEqual([{ nth: 2 }]);
});
