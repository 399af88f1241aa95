import type { Page } from '@playwright/test';
import { hasten } from './haste.ts';
import { instanceOf, isWaiting, publish } from './releases.ts';
import { expect, test } from './test.ts';

test.describe('a newer worker', () => {
  test('waits until it is applied, which every page is told', async ({ page, openTab, server }) => {
    const other = await openTab();
    const news = await Promise.all([page, other].map((each) => hear(each)));
    const before = await instanceOf(page);
    expect(await page.evaluate(() => window.offstage.connect().update)).toBeNull();
    await publish(page, server);
    for (const each of [page, other]) await expect.poll(() => isWaiting(each)).toBe(true);
    expect(await instanceOf(page), 'it replaces nothing by itself').toBe(before);

    await apply(page);
    expect(await instanceOf(page)).not.toBe(before);
    expect(await instanceOf(other)).toBe(await instanceOf(page));
    for (const each of [page, other]) expect(await isWaiting(each)).toBe(false);
    for (const each of news) expect(await each.evaluate((heard) => heard)).toEqual([true, false]);
  });

  test('that waits already is told to a page that comes', async ({ page, openTab, server }) => {
    await publish(page, server);
    const later = await openTab();
    await expect.poll(() => isWaiting(later)).toBe(true);
    await apply(later);
    await expect.poll(() => isWaiting(page)).toBe(false);
  });

  test('gets what was under way: nothing is lost, nothing is done twice', async ({
    page,
    openTab,
    server,
  }) => {
    const other = await openTab();
    const under = await other.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/hold?key=get' },
        put: { method: 'PUT', url: '/hold?key=put' },
        post: { method: 'POST', url: '/hold?key=post' },
        later: { method: 'POST', url: '/echo/later' },
        news: { method: 'GET', url: '/hold?key=news' },
        etag: { method: 'GET', url: '/etag' },
      });
      const heard = window.witness.record(photo, 'etagSuccess', 'newsSuccess', 'error');
      photo.poll('etag', {}, { interval: 100 });
      photo.longPoll('news');
      const [get, put, post] = [photo.get(), photo.put({}, { a: 1 }), photo.post({}, { a: 1 })].map((id) =>
        window.witness.ending(photo.result(id)),
      );
      return { photo, heard, get, put, post };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(4);
    await publish(page, server);

    const applied = apply(page);
    // What can be asked again is cut; the POST is waited for, and a new one is for the next worker.
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    const later = under.evaluate(({ photo }) =>
      window.witness.ending(photo.result(photo.later({}, { b: 1 }))),
    );
    await expect.poll(() => server.journal.open('/hold').map(({ method }) => method)).toEqual(['POST']);
    expect(server.journal.of('/echo/later')).toEqual([]);
    server.release('post', '"made"');
    await applied;

    expect(await under.evaluate(({ post }) => post)).toEqual({ response: 'made' });
    expect(await later).toMatchObject({ response: { method: 'POST', url: '/echo/later' } });
    expect(server.journal.of('/echo/later').length).toBe(1);
    await expect.poll(() => server.journal.open('/hold').length).toBe(3);
    for (const key of ['get', 'put', 'news']) server.release(key, `"${key}"`);
    expect(await under.evaluate(({ get }) => get)).toEqual({ response: 'get' });
    expect(await under.evaluate(({ put }) => put)).toEqual({ response: 'put' });
    await expect
      .poll(() => under.evaluate(({ heard }) => heard.filter(({ type }) => type === 'newsSuccess').length))
      .toBe(1);
    const ticks = await under.evaluate(({ heard }) => heard.length);
    await expect.poll(() => under.evaluate(({ heard }) => heard.length)).toBeGreaterThan(ticks + 2);
    expect(await under.evaluate(({ heard }) => heard.filter(({ type }) => type === 'error'))).toEqual([]);
  });

  test('that never comes leaves the old one at work', async ({ page, context, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/etag' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('get', {}, { interval: 1_000 });
      return { photo, heard };
    });
    await expect.poll(() => poll.evaluate(({ heard }) => heard.length)).toBeGreaterThan(0);
    const before = await instanceOf(page);
    await hasten(context, 20);
    await drain(page);
    await expect.poll(() => instanceOf(page), 'it takes up its work as another').not.toBe(before);
    const ticks = await poll.evaluate(({ heard }) => heard.length);
    await expect.poll(() => poll.evaluate(({ heard }) => heard.length)).toBeGreaterThan(ticks + 2);
    expect(await poll.evaluate(({ heard }) => heard.filter(({ code }) => code !== null))).toEqual([]);
    expect(server.journal.open('/etag')).toEqual([]);
  });
});

/** Whether there was an update, at each `update` event. */
async function hear(page: Page) {
  return page.evaluateHandle(() => {
    const connection = window.offstage.connect();
    const heard: boolean[] = [];
    connection.addEventListener('update', () => heard.push(connection.update !== null));
    return heard;
  });
}

/** What `apply` has the old worker do first; here nothing follows. */
async function drain(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const wish = { number: 1, calls: [], loops: [], later: [], hidden: false, online: false, resync: false };
    const say = (name: string, value: object): void => {
      const message = { id: name, type: 'APPLY', path: [name], argumentList: [{ type: 'RAW', value }] };
      registration.active?.postMessage({ offstage: 'a session of its own', message });
    };
    say('greet', { protocol: 1, oldest: 1, ...wish });
    say('control', { kind: 'drain' });
  });
}

async function apply(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const began = performance.now();
    await window.offstage.connect().update?.apply();
    return performance.now() - began;
  });
}
