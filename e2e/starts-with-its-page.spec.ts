import type { CDPSession } from '@playwright/test';
import { send } from './server/exchange.ts';
import { expect, test } from './test.ts';

test.describe('the ready-made worker', () => {
  test('starts while the browser waits for a page, and lets the network answer', async ({
    context,
    page,
    server,
    stopWorkers,
  }) => {
    await page.goto('about:blank');
    await stopWorkers();
    const states = await watchWorkers(await context.newCDPSession(page));
    expect(states.isRunning).toBe(false);

    server.on('GET /late.html', async ({ response }) => {
      await expect.poll(() => states.isRunning).toBe(true);
      response.setHeader('Content-Type', 'text/html').end('<title>From the network</title>');
    });
    const response = await page.goto('/late.html');
    expect(response?.status()).toBe(200);
    expect(await page.title()).toBe('From the network');
    expect(server.journal.of('/late.html')).toHaveLength(1);
    // Chromium may crash where the context of a worker is closed that is still starting.
    await expect.poll(() => states.hasStarted).toBe(true);
  });

  for (const status of [302, 404, 503]) {
    test(`has a page asked for once, though its server answers ${status} before it runs`, async ({
      page,
      server,
      stopWorkers,
    }) => {
      server.on('GET /once', (exchange) =>
        send(exchange, status, '<title>It</title>', { 'Content-Type': 'text/html', Location: '/bare.html' }),
      );
      // From an empty page, the next one would be in another process, which takes the worker longer to start.
      await page.goto('/bare.html');
      await stopWorkers();
      await page.goto('/once');
      expect(server.journal.of('/once')).toHaveLength(1);
    });
  }

  test('is not asked for what a page loads', async ({ context, page, stopWorkers, server }) => {
    server.on('GET /image.svg', ({ response }) => {
      response.setHeader('Content-Type', 'image/svg+xml').end('<svg xmlns="http://www.w3.org/2000/svg"/>');
    });
    await page.goto('/bare.html');
    await stopWorkers();
    const states = await watchWorkers(await context.newCDPSession(page));
    const timing: unknown = await page.evaluate(async () => {
      await fetch('/image.svg').then((response) => response.text());
      const [entry] = performance.getEntriesByName(`${location.origin}/image.svg`);
      return entry?.toJSON();
    });
    expect(timing).toMatchObject({ workerMatchedSourceType: 'network', workerFinalSourceType: 'network' });
    expect(states.isRunning).toBe(false);
  });
});

/** Follows whether a service worker runs, or is starting, and whether one has started. */
async function watchWorkers(
  devtools: CDPSession,
): Promise<{ readonly isRunning: boolean; readonly hasStarted: boolean }> {
  const known = new Map<string, string>();
  devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const { versionId, runningStatus } of versions) known.set(versionId, runningStatus);
  });
  const first = new Promise((resolve) => devtools.once('ServiceWorker.workerVersionUpdated', resolve));
  await devtools.send('ServiceWorker.enable');
  await first;
  return {
    get isRunning() {
      return [...known.values()].some((status) => status !== 'stopped');
    },
    get hasStarted() {
      return [...known.values()].includes('running');
    },
  };
}
