import type { Page } from '@playwright/test';
import type { HostKind, Inspection } from 'offstage';
import type { Heard } from './page/users.ts';
import { instanceOf } from './releases.ts';
import { serveUsers } from './server/users.ts';
import { expect, test } from './test.ts';

/** Playwright launches its browsers without the back/forward cache. */
test.use({
  launchOptions: [
    async ({ launchOptions }, use) =>
      use({ ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
    { scope: 'worker' },
  ],
  page: async ({ context }, use) => use(await context.newPage()),
});

const DOCUMENT = '/etag/shared';

/** Milliseconds: between two polls, and a time in which there are several. */
const INTERVAL = 300;
const WHILE = 1_500;

/** Milliseconds until a page knows that its worker is dead. */
const NOTICED = 1_500;

/** Opens a page that is its own host and polls a document, which a store shows; its title is the number of answers. */
async function open(page: Page, name: string, by: HostKind = 'page'): Promise<void> {
  await page.goto('/');
  await page.waitForFunction(() => 'offstage' in window);
  await page.evaluate(
    ({ url, interval, host }) => {
      const { connect, Resource, RestStore } = window.offstage;
      connect({ host });
      const photo = new Resource({ live: { method: 'GET', url } });
      new RestStore(photo, 'live').subscribe((model) => (document.body.textContent = JSON.stringify(model)));
      let answers = 0;
      photo.addListener('liveSuccess', () => (document.title = String((answers += 1))));
      photo.poll('live', {}, { interval });
    },
    { url: `${DOCUMENT}?by=${name}`, interval: INTERVAL, host: by },
  );
}

/**
 * Leaves right after an answer: where another engine waits for a transaction that was open as the page left, Chromium
 * throws the page out of the cache.
 */
async function leave(page: Page): Promise<void> {
  const answers = await page.title();
  await expect.poll(() => page.title(), { intervals: [20] }).not.toBe(answers);
  await page.goto('/bare.html');
}

/** Whether the page that is back was in the cache all the time, and is not loaded anew. */
function isRestored(page: Page): Promise<boolean> {
  return page.evaluate(() => 'loops' in window && window.loops.SHOWN.at(-1) === true);
}

function inspect(page: Page): Promise<Inspection> {
  return page.evaluate(() => window.offstage.connect({ host: 'page' }).inspect());
}

/** What a page shows that has the version. */
function shown(version: number): string {
  return JSON.stringify({ version });
}

test('the loops of a page that is its own host rest in the back/forward cache and go on after it', async ({
  page,
  server,
}) => {
  const asked = (): number => server.journal.of(DOCUMENT).length;
  const held = (): number => server.journal.open('/hold').length;
  await open(page, 'a');
  await page.evaluate(() => window.loops.follow('/hold?key=news', 'longPoll'));
  await expect.poll(asked).toBeGreaterThan(2);
  await expect.poll(held).toBe(1);
  expect(await inspect(page)).toMatchObject({ acting: true, generation: 1 });

  await leave(page);
  await expect.poll(held).toBe(0);
  const whenAway = server.journal.entries.length;
  await page.waitForTimeout(WHILE);
  expect(server.journal.entries.slice(whenAway)).toEqual([]);
  await fetch(server.url + DOCUMENT, { method: 'POST' });
  const before = asked();

  await page.goBack({ waitUntil: 'commit' });
  expect(await isRestored(page)).toBe(true);
  await expect(page.locator('body')).toHaveText(shown(2));
  await expect.poll(asked).toBeGreaterThan(before + 2);
  await expect.poll(held).toBe(1);
  server.release('news', '{"version":3}');
  await expect
    .poll(() => page.evaluate(() => window.loops.FOLLOWED[0]?.heard.at(-1)))
    .toMatchObject({ version: 3 });
  expect(await inspect(page)).toMatchObject({ acting: true, generation: 2, loops: [{}, {}] });
});

test('while it is away another page of the origin acts, and goes on once it is back', async ({
  page,
  context,
  server,
}) => {
  const asked = (name: string): number =>
    server.journal.of(DOCUMENT).filter(({ url }) => url.endsWith(`by=${name}`)).length;
  await open(page, 'a');
  await expect.poll(() => asked('a')).toBeGreaterThan(2);
  const other = await context.newPage();
  await open(other, 'b');
  await expect
    .poll(() => inspect(other))
    .toMatchObject({ acting: false, loops: [{ state: 'resting', requests: 0 }] });
  expect(asked('b')).toBe(0);

  await leave(page);
  await expect.poll(() => asked('b')).toBeGreaterThan(2);
  expect(await inspect(other)).toMatchObject({ acting: true, generation: 2 });

  await page.goBack({ waitUntil: 'commit' });
  expect(await isRestored(page)).toBe(true);
  const [ofPage, ofOther] = [asked('a'), asked('b')];
  await page.waitForTimeout(WHILE);
  expect(asked('a')).toBe(ofPage);
  expect(asked('b')).toBeGreaterThan(ofOther + 2);
  expect(await inspect(page)).toMatchObject({ acting: false, generation: null });

  await other.close();
  await expect.poll(() => asked('a')).toBeGreaterThan(ofPage + 2);
  expect(await inspect(page)).toMatchObject({ acting: true, generation: 3 });
});

test('a page whose long-poll is held keeps its place in the cache while another engine acts', async ({
  page,
  context,
  server,
}) => {
  await page.goto('/');
  await page.waitForFunction(() => 'offstage' in window);
  await page.evaluate(() => {
    window.offstage.connect({ host: 'page' });
    window.loops.follow('/hold?key=news', 'longPoll');
  });
  await expect.poll(() => server.journal.open('/hold').length).toBe(1);
  const other = await context.newPage();
  await open(other, 'b');
  await expect.poll(() => inspect(other)).toMatchObject({ acting: false });

  await page.goto('/bare.html');
  await expect.poll(() => server.journal.of(DOCUMENT).length).toBeGreaterThan(2);
  await page.goBack({ waitUntil: 'commit' });
  expect(await isRestored(page)).toBe(true);
});

test('a page in the back/forward cache keeps no other from learning that the worker is dead', async ({
  openTab,
  server,
  stopWorkers,
}) => {
  const page = await openTab();
  const other = await openTab();
  await page.goto('/bare.html');
  const get = other.evaluate(async () => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key=get' } });
    return photo.result(photo.get());
  });
  await expect.poll(() => server.journal.open('/hold').length).toBe(1);
  const stoppedAt = Date.now();
  await stopWorkers();
  await expect.poll(() => server.journal.of('/hold').length).toBe(2);
  expect((server.journal.of('/hold')[1]?.at ?? Infinity) - stoppedAt).toBeLessThan(NOTICED);
  server.release('get', '"got"');
  expect(await get).toBe('got');

  await page.goBack({ waitUntil: 'commit' });
  expect(await isRestored(page)).toBe(true);
  expect(await instanceOf(page)).toBe(await instanceOf(other));
});

for (const host of ['page', 'service-worker'] as const) {
  test(`what is collected while a page is away does not cost it its place: ${host}`, async ({
    page,
    context,
    server,
  }) => {
    const asked = (): number => server.journal.of(DOCUMENT).length;
    const devtools = await context.newCDPSession(page);
    await open(page, 'a', host);
    for (const _ of ['out of its first life', 'and of what came after the cache']) {
      const before = asked();
      await expect.poll(asked).toBeGreaterThan(before + 1);
      await leave(page);
      // The page that is away is in the same process, and so in the same heap.
      await devtools.send('HeapProfiler.collectGarbage');
      await page.waitForTimeout(INTERVAL);
      await page.goBack({ waitUntil: 'commit' });
      expect(await isRestored(page)).toBe(true);
    }
  });
}

/** Milliseconds between two polls of the app: a message to a page that has just left costs it its place in the cache. */
const PAUSE = 1_000;

const WAYS = ['live', 'rows', 'feed', 'window', 'query'];

/** Opens an app for the server's user. */
async function openApp(page: Page): Promise<void> {
  await page.goto('/');
  await page.evaluate(async (pause) => {
    const connection = window.offstage.connect();
    await connection.ready;
    window.users.open(connection, pause);
  }, PAUSE);
}

test('a page that is back hears of another user before anything else', async ({ page, context, server }) => {
  // A cookie that changes would cost the page its place, since its document must not be stored.
  const session = serveUsers(server, PAUSE);
  const other = await context.newPage();
  await openApp(other);
  await openApp(page);
  const signIn = async (tab: Page, name: string): Promise<void> => {
    session.user = name;
    await tab.evaluate((user) => window.users.app().connection.signIn(user), name);
  };
  const heard = (): Promise<Heard[]> => page.evaluate(() => window.users.HEARD);
  const has = async (name: string): Promise<boolean> => {
    const told = (await heard()).filter(({ as }) => as === name);
    return WAYS.every((way) => told.some((each) => each.by === way && isOf(name, each)));
  };
  await signIn(page, 'anna');
  await expect.poll(() => has('anna')).toBe(true);

  const { length } = await heard();
  await expect.poll(async () => (await heard()).length, { intervals: [20] }).toBeGreaterThan(length);
  await page.waitForTimeout(PAUSE / 2);
  await page.goto('/bare.html');
  await signIn(other, 'bob');
  await page.goBack({ waitUntil: 'commit' });
  expect(await isRestored(page)).toBe(true);
  await expect.poll(() => has('bob')).toBe(true);
  const all = await heard();
  const since = all.slice(all.findLastIndex(({ by }) => by === 'shown') + 1);
  expect(since.filter(({ as }) => as !== 'bob')).toEqual([]);
  expect(JSON.stringify(since)).not.toContain('anna');
});

function isOf(name: string, { what }: Heard): boolean {
  return JSON.stringify(what ?? null).includes(`"of":"${name}"`);
}
