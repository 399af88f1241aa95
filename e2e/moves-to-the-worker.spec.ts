import { expect, test } from './test.ts';

test.use({ page: async ({ context }, use) => use(await context.newPage()) });

/** Milliseconds that the worker takes to install, more than a page waits for it. */
const INSTALLING = 6_000;

test('a first visit whose worker is slow to install begins in the page, and moves when it answers', async ({
  page,
  server,
}) => {
  server.rewrite(
    '/service-worker.js',
    (file) =>
      `addEventListener('install', (event) =>
        event.waitUntil(new Promise((resolve) => setTimeout(resolve, ${INSTALLING}))));\n${file}`,
  );
  await page.goto(server.url);
  const visit = await page.evaluateHandle(() => {
    const connection = window.offstage.connect();
    const hosts: unknown[] = [];
    connection.addEventListener('host', () => hosts.push([connection.host, connection.hostReason]));
    const photo = new window.offstage.Resource({
      get: { method: 'GET', url: '/etag/news' },
      post: { method: 'POST', url: '/hold?key=post' },
    });
    const heard = window.witness.record(photo, 'getSuccess', 'error');
    photo.poll('get', {}, { interval: 300 });
    return { connection, hosts, photo, heard };
  });
  await expect.poll(() => visit.evaluate(({ connection }) => connection.host)).toBe('page');
  expect(await visit.evaluate(({ connection }) => connection.hostReason)).toContain(
    'was not active within 3000 ms',
  );
  await expect.poll(() => visit.evaluate(({ heard }) => heard.length)).toBeGreaterThan(2);
  const made = visit.evaluate(({ photo }) => window.witness.ending(photo.result(photo.post({}, { a: 1 }))));
  await expect.poll(() => server.journal.open('/hold').length).toBe(1);

  await expect
    .poll(() => visit.evaluate(({ connection }) => connection.host), { timeout: INSTALLING * 2 })
    .toBe('service-worker');
  const ticks = await visit.evaluate(({ heard }) => heard.length);
  await expect.poll(() => visit.evaluate(({ heard }) => heard.length)).toBeGreaterThan(ticks + 2);
  const loops = await visit.evaluate(async ({ connection }) => (await connection.inspect()).loops.length);
  expect(loops).toBe(1);
  expect(server.journal.open('/hold').length, 'the call is still with the page').toBe(1);
  server.release('post', '"made"');
  expect(await made).toEqual({ response: 'made' });
  expect(server.journal.of('/hold')).toHaveLength(1);
  expect(await visit.evaluate(({ hosts }) => hosts)).toEqual([
    ['page', expect.any(String)],
    ['service-worker', null],
  ]);
  expect(await visit.evaluate(({ heard }) => heard.filter(({ code }) => code !== null))).toEqual([]);
});
