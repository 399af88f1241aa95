import type { Page } from '@playwright/test';
import { withoutJitter } from './haste.ts';
import { expect, test } from './test.ts';

test.describe('a poll whose network is gone', () => {
  test('tells the stored answer once, is silent, and resumes by itself', async ({ page, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/etag' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('get', {}, { interval: 100 });
      return { heard };
    });
    await expect.poll(() => poll.evaluate(({ heard }) => heard.length)).toBeGreaterThan(1);
    await server.down();
    await expect.poll(() => failures(page)).toBeGreaterThan(2);
    const during = await poll.evaluate(({ heard }) => heard.filter((event) => event.stale || event.code));
    expect(during).toMatchObject([
      { type: 'success', stale: true, servedFrom: 'cache', changed: false, response: { version: 1 } },
    ]);
    server.versions.set('/etag', 2);
    await server.up();
    await expect
      .poll(() => poll.evaluate(({ heard }) => heard.at(-1)))
      .toMatchObject({ stale: false, servedFrom: 'network', response: { version: 2 } });
    await expect.poll(() => failures(page)).toBe(0);
    const stale = await poll.evaluate(({ heard }) => heard.filter((event) => event.stale || event.code));
    expect(stale.length).toBe(1);
  });

  test('tells one error where nothing is stored, and is there again when the browser is online', async ({
    page,
    context,
    server,
  }) => {
    await context.setOffline(true);
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('get', {}, { interval: 200 });
      return { heard };
    });
    await expect.poll(() => failures(page)).toBeGreaterThan(2);
    expect(await poll.evaluate(({ heard }) => heard)).toMatchObject([{ type: 'error', code: 'offline' }]);
    await context.setOffline(false);
    await expect
      .poll(() => poll.evaluate(({ heard }) => heard.slice(1)))
      .toContainEqual(expect.objectContaining({ type: 'success', servedFrom: 'network' }));
    expect(server.journal.of('/photo/1').length).toBeGreaterThan(0);

    await context.setOffline(true);
    await expect
      .poll(() => poll.evaluate(({ heard }) => heard.at(-1)))
      .toMatchObject({ stale: true, servedFrom: 'cache' });
    await context.setOffline(false);
    await expect.poll(() => poll.evaluate(({ heard }) => heard.at(-1))).toMatchObject({ stale: false });
  });

  test('asks as soon as its page sees the network come back, however long it would wait', async ({
    page,
    context,
    server,
  }) => {
    await withoutJitter(context);
    await server.down();
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('get', {}, { interval: 60_000 });
      return { heard };
    });
    // Two quick tries, at 0.3 and 2 s.
    await expect.poll(() => failures(page)).toBe(3);
    const due = await page.evaluate(async () => {
      const { loops, now } = await window.offstage.connect().inspect();
      return (loops[0]?.nextDueAt ?? 0) - now;
    });
    expect(due, 'half the interval').toBeGreaterThan(20_000);
    await server.up();
    // The browser's own event may come before its worker is online again, where the network is but emulated.
    await page.evaluate(() => void dispatchEvent(new Event('online')));
    await expect.poll(() => server.journal.of('/photo/1').length).toBe(1);
    await expect
      .poll(() => poll.evaluate(({ heard }) => heard.map(({ type, code }) => code ?? type)))
      .toEqual(['network', 'success']);
  });
});

/** Failures in a row of the only loop. */
async function failures(page: Page): Promise<number | undefined> {
  return page.evaluate(async () => (await window.offstage.connect().inspect()).loops[0]?.failures);
}
