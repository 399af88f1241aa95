import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

/** Milliseconds that the server takes, far more than the page may show nothing. */
const SLOW = 1_000;

/** What was shown of a query of `/slow`, and when, in milliseconds from the instant at which the worker had answered. */
interface Shown {
  readonly after: number;
  readonly data: unknown;
  readonly servedFrom: string | null;
  readonly stale: boolean;
}

/** Subscribes to the query in a page whose worker has answered, until `count` different data were shown. */
function watch(page: Page, count: number): Promise<Shown[]> {
  return page.evaluate(async (wanted) => {
    const { Resource, connect } = window.offstage;
    await connect({ serviceWorker: '/service-worker.js' }).ready;
    const began = performance.now();
    const photo = new Resource({ slow: { method: 'GET', url: '/slow' } });
    const query = photo.query('slow');
    const shown: Shown[] = [];
    await new Promise<void>((resolve) => {
      query.subscribe(() => {
        const { data, servedFrom, stale } = query.snapshot;
        if (data === null || data === shown.at(-1)?.data) return;
        shown.push({ after: performance.now() - began, data, servedFrom, stale });
        if (shown.length === wanted) resolve();
      });
    });
    return shown;
  }, count);
}

test('a reload with a slow server shows what is stored at once, and the answer when it comes', async ({
  page,
  server,
}) => {
  let asked = 0;
  server.on('GET /slow', async (exchange) => {
    asked += 1;
    const number = asked;
    if (number > 1) await setTimeout(SLOW);
    sendJson(exchange, { number });
  });
  expect(await watch(page, 1)).toMatchObject([{ data: { number: 1 }, servedFrom: 'network' }]);

  await page.reload();
  const [stored, fresh] = await watch(page, 2);
  expect(stored).toMatchObject({ data: { number: 1 }, servedFrom: 'cache', stale: true });
  expect(stored?.after).toBeLessThan(100);
  expect(fresh).toMatchObject({ data: { number: 2 }, servedFrom: 'network', stale: false });
  expect(fresh?.after).toBeGreaterThan(SLOW - 100);
  expect(asked).toBe(2);
});
