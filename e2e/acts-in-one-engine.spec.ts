import type { Page } from '@playwright/test';
import type { Inspection } from 'offstage';
import { openAt } from './hosts.ts';
import type { Place } from './hosts.ts';
import { expect, test } from './test.ts';

test.use({ page: async ({ context }, use) => use(await context.newPage()) });

/** Polls under the host's own name, ten times a second. */
async function poll(page: Page, place: Place): Promise<void> {
  await page.evaluate((name) => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{name}' } });
    photo.poll('get', { name }, { interval: 100 });
  }, place);
}

async function inspect(page: Page, host: 'page' | 'service-worker'): Promise<Inspection> {
  return page.evaluate(
    (choice) => window.offstage.connect({ host: choice, timeout: 10_000 }).inspect(),
    host,
  );
}

test('only one engine of an origin acts: the service worker’s while it is there, else a page’s', async ({
  page,
  context,
  server,
  stopWorkers,
}) => {
  test.setTimeout(60_000);
  const asked = (place: Place): number => server.journal.of(`/photo/${place}`).length;
  /** How often each host asked in the next half second. */
  const next = async (): Promise<[page: number, worker: number]> => {
    const before = [asked('page'), asked('service-worker')] as const;
    await page.waitForTimeout(500);
    return [asked('page') - before[0], asked('service-worker') - before[1]];
  };

  await openAt('page', page, server);
  await poll(page, 'page');
  await expect.poll(() => asked('page')).toBeGreaterThan(2);

  const other = await context.newPage();
  await openAt('service-worker', other, server);
  await poll(other, 'service-worker');
  await expect.poll(() => asked('service-worker')).toBeGreaterThan(0);
  await expect.poll(async () => (await next())[1]).toBeGreaterThan(2);
  expect((await next())[0]).toBe(0);
  expect(await inspect(page, 'page')).toMatchObject({ acting: false, generation: null });
  expect(await inspect(other, 'service-worker')).toMatchObject({ acting: true, generation: 2 });

  await other.close();
  await stopWorkers();
  await expect.poll(async () => (await next())[0]).toBeGreaterThan(2);
  expect((await next())[1]).toBe(0);
  expect(await inspect(page, 'page')).toMatchObject({ acting: true, generation: 3 });

  const third = await context.newPage();
  await openAt('page', third, server);
  await poll(third, 'page');
  await expect
    .poll(() => inspect(third, 'page'))
    .toMatchObject({ acting: false, loops: [{ state: 'resting', requests: 0 }] });
  await page.close();
  await expect.poll(() => inspect(third, 'page')).toMatchObject({ acting: true, generation: 4 });
});
