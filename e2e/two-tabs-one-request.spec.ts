import type { JSHandle, Page } from '@playwright/test';
import type { Loop, LoopInspection, Resource } from 'offstage';
import type { Heard } from './page/witness.ts';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

const INTERVAL = 200;

/** Longer than any test. */
const LONG = 60_000;

test.describe('two tabs that poll the same', () => {
  test('cost one request a period, and both hear of every answer', async ({ page, openTab, server }) => {
    count(server);
    const [one, two] = [await poll(page), await poll(await openTab())];
    await expect.poll(() => two.evaluate(({ heard }) => heard.length)).toBeGreaterThan(4);
    const times = asked(server);
    expect(await loops(page)).toMatchObject([{ pages: 2 }]);
    // A busy machine makes them fewer, never more.
    expect(times.length).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - (times[0] ?? 0)) / INTERVAL));
    expect(await gapless(one)).toBe(true);
    expect(await gapless(two)).toBe(true);
  });

  test('go on as before when the one that started it is closed, until the other is', async ({
    page,
    openTab,
    server,
  }) => {
    count(server);
    const starter = await openTab();
    await poll(starter);
    await expect.poll(() => asked(server).length).toBeGreaterThan(0);
    const other = await openTab();
    const left = await poll(other);
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 2 }]);
    const before = asked(server).length;
    await starter.close();
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 1 }]);
    await expect.poll(() => asked(server).length).toBeGreaterThan(before + 3);
    expect(await gapless(left)).toBe(true);
    const times = asked(server);
    const gaps = times.slice(before).map((at, index) => at - (times[before + index - 1] ?? at));
    expect(Math.max(...gaps), 'nobody is waited for').toBeLessThan(5 * INTERVAL);
    await other.close();
    await expect.poll(() => loops(page)).toEqual([]);
  });

  test('hear the newest answer as they join: at once, out of the cache, without a request', async ({
    page,
    openTab,
    server,
  }) => {
    count(server);
    const one = await poll(page, LONG);
    await expect.poll(() => one.evaluate(({ heard }) => heard.length)).toBe(1);
    const two = await poll(await openTab(), LONG);
    await expect.poll(() => two.evaluate(({ heard }) => heard.length)).toBe(1);
    expect(await two.evaluate(({ heard }) => heard)).toMatchObject([
      { type: 'success', servedFrom: 'cache', changed: true, stale: false, response: 1 },
    ]);
    expect(await one.evaluate(({ heard }) => heard.length)).toBe(1);
    expect(asked(server).length).toBe(1);
  });

  test('are asked for at the pace of the fastest that is seen', async ({ page, openTab, server }) => {
    count(server);
    const tab = await openTab();
    const fast = await poll(tab, INTERVAL, 'pause');
    await poll(page, LONG);
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 2, interval: INTERVAL }]);
    // Before the first, one is due at whatever pace.
    await expect.poll(() => asked(server).length).toBeGreaterThan(0);
    await seem(tab, 'hidden');
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 2, interval: LONG, state: 'waiting' }]);
    const before = asked(server).length;
    await page.waitForTimeout(3 * INTERVAL);
    expect(asked(server).length).toBe(before);
    await seem(tab, 'visible');
    await expect.poll(() => asked(server).length).toBeGreaterThan(before + 1);
    await fast.evaluate(({ loop }, interval) => void (loop.interval = interval), LONG);
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 2, interval: LONG }]);
  });

  test('are not ended by one that stops, and abort for themselves', async ({ page, openTab, server }) => {
    const [one, two] = [
      await poll(page, INTERVAL, 'slow', '/hold?key=a'),
      await poll(await openTab(), INTERVAL, 'slow', '/hold?key=a'),
    ];
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 2, state: 'asking' }]);
    await one.evaluate(({ photo }) => photo.abort('get'));
    await expect.poll(() => one.evaluate(({ heard }) => heard)).toMatchObject([{ code: 'aborted' }]);
    expect(server.journal.of('/hold')).toMatchObject([{ state: 'open' }]);
    server.release('a', '1');
    await expect.poll(() => two.evaluate(({ heard }) => heard)).toMatchObject([{ response: 1 }]);
    await expect.poll(() => server.journal.of('/hold').length).toBe(2);
    server.release('a', '2');
    for (const each of [one, two])
      await expect.poll(() => each.evaluate(({ heard }) => heard.at(-1))).toMatchObject({ response: 2 });
    expect(await one.evaluate(({ heard }) => heard.length), 'the aborted one is not told').toBe(2);

    await one.evaluate(({ loop }) => loop.stop());
    await expect.poll(() => loops(page)).toMatchObject([{ pages: 1, state: 'asking' }]);
    server.release('a', '3');
    await expect.poll(() => two.evaluate(({ heard }) => heard.at(-1))).toMatchObject({ response: 3 });
    expect(await one.evaluate(({ heard }) => heard.length)).toBe(2);
  });

  test('each ask for themselves where headers or bodies differ', async ({ page, openTab, server }) => {
    count(server);
    const tab = await openTab();
    await pollApart(page, 'de', 'sea');
    await pollApart(tab, 'en', 'hill');
    await expect.poll(() => server.journal.of('/ticks').length).toBe(5);
    const all = await loops(page);
    expect(all.map(({ pages }) => pages).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 2]);
    const differ = server.journal.of('/ticks').map(({ body, headers }) => body + headers['accept-language']);
    expect(new Set(differ).size).toBe(5);
  });
});

test('two tabs that long-poll the same hold one request, and both hear of each answer', async ({
  page,
  openTab,
  server,
}) => {
  const one = await longPoll(page);
  await expect.poll(() => server.journal.open('/hold').length).toBe(1);
  server.release('a', '1');
  await expect.poll(() => server.journal.of('/hold').length).toBe(2);
  const two = await longPoll(await openTab());
  await expect
    .poll(() => two.evaluate(({ heard }) => heard))
    .toMatchObject([{ response: 1, servedFrom: 'cache', changed: true }]);
  expect(server.journal.of('/hold').length).toBe(2);
  server.release('a', '2');
  for (const each of [one, two]) {
    await expect
      .poll(() => each.evaluate(({ heard }) => heard))
      .toMatchObject([{ response: 1 }, { response: 2, servedFrom: 'network' }]);
  }
  await expect.poll(() => server.journal.of('/hold').length).toBe(3);
  expect(server.journal.open('/hold').length).toBe(1);
});

interface Polling {
  readonly photo: Resource;
  readonly loop: Loop;
  readonly heard: readonly Heard[];
}

function poll(
  page: Page,
  interval: number = INTERVAL,
  hidden: 'slow' | 'pause' = 'slow',
  url = '/ticks',
): Promise<JSHandle<Polling>> {
  return page.evaluateHandle(
    (wish) => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: wish.url } });
      const heard = window.witness.record(photo, 'success', 'error');
      return { photo, heard, loop: photo.poll('get', {}, wish) };
    },
    { url, interval, hidden },
  );
}

/** Polls with a header and with a body of the tab's own, and with a body that is the same in all tabs. */
async function pollApart(page: Page, language: string, query: string): Promise<void> {
  await page.evaluate(
    (wish) => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/ticks' },
        search: { method: 'POST', url: '/ticks' },
        common: { method: 'POST', url: '/ticks' },
      });
      const { interval } = wish;
      photo.poll('get', {}, { interval, headers: { 'Accept-Language': wish.language } });
      photo.poll('search', {}, { interval, data: { q: wish.query } });
      photo.poll('common', {}, { interval, data: { q: 'same' } });
    },
    { language, query, interval: LONG },
  );
}

function longPoll(page: Page): Promise<JSHandle<Pick<Polling, 'heard'>>> {
  return page.evaluateHandle(() => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key=a' } });
    const heard = window.witness.record(photo, 'success', 'error');
    photo.longPoll('get');
    return { heard };
  });
}

/** Each answer is the number of its request. */
function count(server: FixtureServer): void {
  server.on('GET /ticks', (exchange) => sendJson(exchange, server.journal.of('/ticks').length));
}

/** When the server was asked, in milliseconds of the epoch. */
function asked(server: FixtureServer): number[] {
  return server.journal.of('/ticks').map(({ at }) => at);
}

/** Whether a tab has heard of each answer since its first, and of each once. */
async function gapless(polling: JSHandle<Polling>): Promise<boolean> {
  const answers = await polling.evaluate(({ heard }) => heard.map(({ response }) => Number(response)));
  return answers.every((answer, index) => index === 0 || answer === (answers[index - 1] ?? 0) + 1);
}

async function loops(page: Page): Promise<readonly LoopInspection[]> {
  return page.evaluate(async () => (await window.offstage.connect().inspect()).loops);
}

/** Has a page believe that it is seen, or that it is not. */
async function seem(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((each) => {
    Object.defineProperty(document, 'visibilityState', { value: each, configurable: true });
    Object.defineProperty(document, 'hidden', { value: each === 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
