import { expect, type Page } from '@playwright/test';
import type { FixtureServer } from './server/fixture-server.ts';

/** A later release of the worker is on the server, and the browser has installed it. */
export async function publish(page: Page, server: FixtureServer): Promise<void> {
  const release = Math.random();
  server.rewrite('/service-worker.js', (file) => `${file}\n// ${release}`);
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
  });
  await expect.poll(() => isWaiting(page)).toBe(true);
}

export function isWaiting(page: Page): Promise<boolean> {
  return page.evaluate(() => window.offstage.connect().update !== null);
}

/** Names the life of the worker that answers a page. */
export function instanceOf(page: Page): Promise<string> {
  return page.evaluate(async () => (await window.offstage.connect().inspect()).instance);
}
