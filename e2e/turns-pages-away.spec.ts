import type { Frame, Page } from '@playwright/test';
import { expect, test } from './test.ts';

/** An app's own worker, e2e/page/own-worker.ts: its predicate `allow` goes by a page's URL and by its kind of frame. */
const SCRIPT = '/own-worker.js';

test.use({ page: async ({ context }, use) => use(await context.newPage()) });

/** Connects, calls and polls in a place, under that name; says how each went. The poll goes on. */
async function act(place: Page | Frame, name: string): Promise<unknown> {
  await place.waitForFunction(() => 'offstage' in window);
  return place.evaluate(
    async ([serviceWorker, each]) => {
      // Else the page sends its first calls itself, and no worker turns them away.
      const connection = window.offstage.connect({ serviceWorker, firstVisit: 'worker' });
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/photo/{name}' },
        put: { method: 'PUT', url: '/photo/{name}' },
      });
      const { ending, record } = window.witness;
      const ready = await ending(connection.ready);
      const call = await ending(photo.result(photo.put({ name: each }, { a: 1 })));
      const heard = record(photo, 'getSuccess', 'getError');
      photo.poll('get', { name: each }, { interval: 200 });
      await new Promise((resolve) => {
        photo.addListener('getSuccess', resolve);
        photo.addListener('getError', resolve);
      });
      return { ready, call, tick: heard[0], host: connection.host, status: connection.status };
    },
    [SCRIPT, name] as const,
  );
}

/** What a page hears that is not served. */
function turnedAway(url: string): Record<string, unknown> {
  const message = `The worker does not serve ${url}`;
  const failure = { code: 'not-connected', failure: { message } };
  return {
    ready: failure,
    call: failure,
    tick: { type: 'getError', code: 'not-connected', message },
    host: 'service-worker',
    status: 'unavailable',
  };
}

const SERVED = {
  ready: {},
  call: { response: { method: 'PUT' } },
  tick: { type: 'getSuccess', code: null },
  host: 'service-worker',
  status: 'connected',
};

test('a page that the app’s own predicate does not allow is turned away, and told so', async ({
  page,
  server,
}) => {
  await page.goto('/?uninvited');
  expect(await act(page, 'uninvited')).toMatchObject(turnedAway(`${server.url}/?uninvited`));
  expect(server.journal.of('/photo/uninvited')).toEqual([]);
});

test('so is one over which the predicate stumbles', async ({ page, server }) => {
  await page.goto('/?stumble');
  expect(await act(page, 'stumble')).toMatchObject(turnedAway(`${server.url}/?stumble`));
  expect(server.journal.of('/photo/stumble')).toEqual([]);
});

test('the other pages of the origin are served, the frames in them are not', async ({
  page,
  context,
  server,
}) => {
  await page.goto('/');
  expect(await act(page, 'invited')).toMatchObject(SERVED);

  const uninvited = await context.newPage();
  await uninvited.goto('/?uninvited');
  expect(await act(uninvited, 'uninvited')).toMatchObject(turnedAway(`${server.url}/?uninvited`));

  expect(await act(await frameIn(page), 'frame')).toMatchObject(turnedAway(`${server.url}/?framed`));

  const asked = (): number => server.journal.of('/photo/invited').length;
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before + 2);
  expect(server.journal.entries.filter(({ path }) => path !== '/photo/invited')).toEqual([]);
});

async function frameIn(page: Page): Promise<Frame> {
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.src = '/?framed';
    document.body.append(frame);
  });
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  if (!frame) throw new Error('The frame has no document');
  return frame;
}
