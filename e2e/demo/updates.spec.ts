import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, openDemo, test } from './test.ts';

test.describe('a newer version of the demo', () => {
  test('is offered, and loaded when it is wanted', async ({ page, context, demo: { folder } }) => {
    await openDemo(page);
    await expect(page.locator('#update')).toBeHidden();

    // A file whose name stays the same is taken from the server, so that it fits the page that is.
    await appendFile(join(folder, 'website.js'), '\n// the next version');
    // A server that takes too long is stood in for by what is stored.
    const script = (): Promise<string> => page.evaluate(async () => (await fetch('/website.js')).text());
    await expect.poll(script).toContain('// the next version');

    await appendFile(join(folder, 'service-worker.js'), '\n// the next version');
    // From another tab: while the demo is in front, Chromium sometimes does not begin to look for a newer worker.
    const other = await context.newPage();
    await other.goto('/manifest.webmanifest');
    await other.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    await other.close();
    const update = page.getByRole('button', { name: 'Update' });
    const loaded = page.waitForEvent('load');
    await update.click({ timeout: 10_000 });
    await loaded;
    await expect(page.locator('#freshness')).toHaveAttribute('data-state', 'live');
    await expect(update).toBeHidden();
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull();
  });
});
