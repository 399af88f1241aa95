import type { JSHandle, Page } from '@playwright/test';
import type { Resource } from 'offstage';
import type { Ending, Heard } from './page/witness.ts';
import { expect, test } from './test.ts';

/** One GET of a resource of its own: how it ended, and what was heard of it. */
function get(page: Page, url: string, options = {}): Promise<{ ending: Ending; heard: Heard | undefined }> {
  return page.evaluate(
    async ([path, given]) => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: path } });
      const heard = window.witness.record(photo, 'success', 'error');
      const ending = await window.witness.ending(photo.result(photo.get({}, null, given)));
      return { ending, heard: heard[0] };
    },
    [url, options] as const,
  );
}

test.describe('without a network', () => {
  test('the stored answer is served, and says how old it is, even to a page and a worker that are new', async ({
    page,
    context,
    server,
    openTab,
    stopWorkers,
  }) => {
    const before = await get(page, '/photo/1');
    expect(before.heard).toMatchObject({ servedFrom: 'network', stale: false, age: 0, changed: true });
    const stored = {
      ending: before.ending,
      heard: { servedFrom: 'cache', stale: true, changed: false, status: 200, phase: 'success', code: null },
    };
    await server.down();
    const down = await get(page, '/photo/1');
    expect(down).toMatchObject(stored);
    expect(down.heard?.age).toBeGreaterThan(0);
    expect(down.heard?.age).toBeLessThan(30);
    await server.up();

    const tab = await openTab();
    await context.setOffline(true);
    expect(await get(tab, '/photo/1')).toMatchObject(stored);
    expect(await get(tab, '/photo/2')).toMatchObject({ ending: { code: 'offline' } });
    await context.setOffline(false);
    await stopWorkers();
    await server.down();
    expect(await get(tab, '/photo/1')).toMatchObject(stored);
    await server.up();
    expect((await get(page, '/photo/1')).heard).toMatchObject({ servedFrom: 'network', stale: false });
  });

  test('nothing is served that was not to be stored, and failures are stored nowhere', async ({
    page,
    server,
  }) => {
    await get(page, '/no-store');
    await get(page, '/photo/private', { cache: 'network-only' });
    await get(page, '/photo/1');
    await get(page, '/photo/1', { headers: { Accept: 'text/csv' } });
    await get(page, '/status/404');
    const post = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        post: { method: 'POST', url: '/echo' },
        fresh: { method: 'GET', url: '/photo/1', cache: 'network-only' },
      });
      return { photo };
    });
    await send(post);
    await server.down();
    expect(await get(page, '/no-store')).toMatchObject({ ending: { code: 'network' } });
    expect(await get(page, '/photo/private')).toMatchObject({ ending: { code: 'network' } });
    expect(await get(page, '/photo/1', { cache: 'network-only' })).toMatchObject({
      ending: { code: 'network' },
    });
    expect(await get(page, '/status/404')).toMatchObject({ ending: { code: 'network' } });
    // The server does not say that its answers vary.
    const other = { headers: { Accept: 'text/html' } };
    expect((await get(page, '/photo/1', other)).heard).toMatchObject({ servedFrom: 'cache' });
    expect(await send(post)).toMatchObject({ code: 'network' });
    const fresh = await post.evaluate(({ photo }) => window.witness.ending(photo.result(photo.fresh())));
    expect(fresh).toMatchObject({ code: 'network' });
    expect((await get(page, '/photo/1')).heard).toMatchObject({ servedFrom: 'cache' });
  });

  test('nothing is served once the cache is cleared', async ({ page, server }) => {
    await get(page, '/photo/1');
    const sizes = await page.evaluate(async () => {
      const connection = window.offstage.connect();
      const before = await connection.inspect();
      await connection.cache.clear();
      const after = await connection.inspect();
      return [before.cache, after.cache];
    });
    expect(sizes).toMatchObject([
      { mode: 'indexeddb', entries: 1, bytes: expect.any(Number) },
      { mode: 'indexeddb', entries: 0, bytes: 0 },
    ]);
    await server.down();
    expect(await get(page, '/photo/1')).toMatchObject({ ending: { code: 'network' } });
    await server.up();
    expect((await get(page, '/photo/1')).heard).toMatchObject({ changed: true });
  });
});

function send(handle: JSHandle<{ readonly photo: Resource }>): Promise<Ending> {
  return handle.evaluate(({ photo }) => window.witness.ending(photo.result(photo.invoke('post', {}, 'a=1'))));
}
