import type { Page } from '@playwright/test';
import { snippet } from './guide.ts';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

/** The examples of the guide "Queries", as readers copy them. */

const HEAD = 'const { Resource } = window.offstage;';

async function play(page: Page, contained: string, ids: readonly string[]): Promise<void> {
  const code = await snippet('queries.md', contained);
  const elements = ids.map(
    (id) =>
      `const ${id} = document.body.appendChild(Object.assign(document.createElement('p'), { id: '${id}' }));`,
  );
  const content = [HEAD, ...elements, code, "document.title = 'Played';"].join('\n');
  await page.addScriptTag({ type: 'module', content });
  await expect(page).toHaveTitle('Played');
}

test('shows that it loads, the answer, or the error', async ({ page, server }) => {
  const opens: (() => void)[] = [];
  const gate = new Promise<void>((resolve) => void opens.push(resolve));
  server.on('GET /photo/1', async (exchange) => {
    await gate;
    sendJson(exchange, { title: 'Sea' });
  });
  await play(page, 'Not there', ['title']);
  await expect(page.locator('#title')).toHaveText('Loading');
  for (const open of opens) open();
  await expect(page.locator('#title')).toHaveText('Sea');
});

test('shows the error where there are no data', async ({ page, server }) => {
  server.on('GET /photo/1', (exchange) => sendJson(exchange, {}, {}, 404));
  await play(page, 'Not there', ['title']);
  await expect(page.locator('#title')).toHaveText(/Not there: /);
});

test('asks again when it is told to', async ({ page, server }) => {
  let asked = 0;
  server.on('GET /photos', (exchange) => sendJson(exchange, [{ title: `Photo ${(asked += 1)}` }]));
  await play(page, 'await photos.refresh()', ['list']);
  await expect(page.locator('#list')).toHaveText('Photo 2');
  expect(asked).toBe(2);
});

test('asks for one after the other', async ({ page, server }) => {
  server.on('GET /photo/1', (exchange) => sendJson(exchange, { authorId: 7 }));
  server.on('GET /author/7', (exchange) => sendJson(exchange, { name: 'Ann' }));
  await play(page, 'authorId', ['name']);
  await expect(page.locator('#name')).toHaveText('Ann');
});

test('asks ahead', async ({ page, server }) => {
  let asked = 0;
  server.on('GET /photos', (exchange) => {
    asked += 1;
    sendJson(exchange, [1, 2, 3]);
  });
  await play(page, 'prefetch(', ['list']);
  await expect(page.locator('#list')).toHaveText('3');
  expect(asked).toBe(1);
});
