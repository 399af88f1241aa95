import { snippet } from './guide.ts';
import { expect, test } from './test.ts';

test.describe('a service worker that is not to be had', () => {
  test('because it is another script’s, is given up for the page', async ({ context, server }) => {
    const page = await context.newPage();
    await page.goto(server.url);
    const outcome = await page.evaluate(async () => {
      const connection = window.offstage.connect({ serviceWorker: '/bare-worker.js' });
      await connection.ready;
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } }, { connection });
      const response = await photo.result(photo.get());
      return { response, host: connection.host, status: connection.status };
    });
    expect(outcome).toMatchObject({ response: { url: '/photo/1' }, host: 'page', status: 'connected' });
  });

  test('because it was withdrawn, leaves pages at work, and nothing behind', async ({ page, server }) => {
    const killSwitch = await snippet('updates.md', 'registration.unregister');
    server.rewrite('/service-worker.js', () => killSwitch);
    const loaded = page.waitForEvent('load');
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      void registration.update();
    });
    await loaded;
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
    // A page that knows nothing of it still asks for a worker.
    const outcome = await page.evaluate(async () => {
      const connection = window.offstage.connect();
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const response = await photo.result(photo.get());
      return { response, host: connection.host };
    });
    expect(outcome).toMatchObject({ response: { url: '/photo/1' }, host: 'page' });
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
  });
});
