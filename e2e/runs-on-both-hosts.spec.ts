import { sendJson } from './server/exchange.ts';
import { choiceAt, openAt, PLACES } from './hosts.ts';
import { expect, test } from './test.ts';

/** The contract: what holds wherever the engine runs. */
for (const place of PLACES) {
  test.describe(`in a ${place}`, () => {
    test.use({ page: async ({ context }, use) => use(await context.newPage()) });

    test('a connection says where its engine runs', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      const state = await opened.evaluate(async () => {
        const { connect } = window.offstage;
        const connection = connect({ retry: 1 });
        const hosts = [connection.host];
        connection.addEventListener('host', () => hosts.push(connection.host));
        await connection.ready;
        return { hosts, status: connection.status };
      });
      // A page that is only forced to be its own host could have a service worker.
      const found = place === 'sandboxed frame' ? 'page' : 'service-worker';
      expect(state).toEqual({ hosts: [null, found], status: 'connected' });
    });

    test('calls are answered, as events and results', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      const outcome = await opened.evaluate(async () => {
        const photo = new window.offstage.Resource({
          get: { method: 'GET', url: '/photo/{id}/{size=medium}' },
          put: { method: 'PUT', url: '/photo/{id}' },
        });
        const heard = window.witness.record(photo, 'getSent', 'getSuccess', 'success', 'putSuccess');
        const got = await photo.result(photo.get({ id: 1 }));
        const put = await photo.result(photo.put({ id: 1 }, { title: 'Sea' }));
        return { got, put, types: heard.map(({ type }) => type) };
      });
      expect(outcome.got).toMatchObject({ method: 'GET', url: '/photo/1/medium' });
      expect(outcome.put).toMatchObject({ method: 'PUT', body: 'title=Sea' });
      expect(outcome.types).toEqual(['getSent', 'getSuccess', 'success', 'putSuccess', 'success']);
    });

    test('failures are told', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      const codes = await opened.evaluate(async () => {
        const { Resource } = window.offstage;
        const { ending, thrown } = window.witness;
        const photo = new Resource({
          get: { method: 'GET', url: '/{+path}', check: { path: Resource.REQUIRED } },
        });
        const endings = [
          await ending(photo.result(photo.get({ path: 'status/404' }))),
          await ending(photo.result(photo.get({ path: 'json-broken' }))),
          await ending(photo.result(photo.get({ path: 'cut' }))),
          await ending(photo.result(photo.get({ path: 'slow' }, null, { timeout: 100 }))),
          await ending(photo.result(photo.get({ path: '/elsewhere.example/' }))),
        ];
        const aborted = photo.get({ path: 'slow' });
        photo.abort(aborted);
        endings.push(await ending(photo.result(aborted)));
        return [thrown(() => photo.get({ path: [] })), ...endings.map(({ code }) => code)];
      });
      expect(codes).toEqual([
        "RestError: Missing parameter 'path'",
        'http',
        'parse',
        'network',
        'timeout',
        'blocked-url',
        'aborted',
      ]);
    });

    test('polls and long-polls tick, and stores follow', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      let count = 0;
      server.on('GET /count', (exchange) => sendJson(exchange, { count: (count += 1) }));
      const loops = await opened.evaluateHandle(() => {
        const { Resource, RestStore } = window.offstage;
        const photo = new Resource({
          count: { method: 'GET', url: '/count' },
          news: { method: 'GET', url: '/hold?key=news' },
        });
        const heard = window.witness.record(photo, 'newsSuccess', 'error');
        const store = new RestStore(photo, 'count');
        return { heard, store, loops: [photo.poll('count', {}, { interval: 150 }), photo.longPoll('news')] };
      });
      const model = (): Promise<unknown> => loops.evaluate(({ store }) => store.model);
      await expect.poll(() => server.journal.open('/hold').length).toBe(1);
      server.release('news', '"first"');
      await expect.poll(() => loops.evaluate(({ heard }) => heard[0]?.response)).toBe('first');
      await expect.poll(async () => Number(Object(await model()).count)).toBeGreaterThan(2);
      await loops.evaluate(({ loops: all }) => all.forEach((loop) => loop.stop()));
      await expect.poll(() => server.journal.open('/hold')).toEqual([]);
      const ended = server.journal.of('/count').length;
      await page.waitForTimeout(400);
      expect(server.journal.of('/count').length).toBe(ended);
    });

    test('windows ask for their rows', async ({ page, server }) => {
      const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, title: `Photo ${id}` }));
      server.on('GET /rows', (exchange) => sendJson(exchange, { items: rows }));
      const opened = await openAt(place, page, server);
      const shown = await opened.evaluateHandle(() => {
        const { Resource, RestStore } = window.offstage;
        const photo = new Resource({ list: { method: 'GET', url: '/rows' } });
        const store = new RestStore(photo, 'list', { select: '/items' });
        photo.poll('list', {}, { interval: 200 });
        return { store, rows: store.window(0, 2) };
      });
      const state = (): Promise<unknown> =>
        shown.evaluate(({ rows: { model, total }, store }) => [model, total, store.model]);
      await expect.poll(state).toEqual([rows.slice(0, 2), 1_000, null]);
      await shown.evaluate((each) => each.rows.move(500));
      await expect.poll(state).toEqual([rows.slice(500, 502), 1_000, null]);
    });

    test('what is stored is served when the network fails', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      const get = (): Promise<unknown> =>
        opened.evaluate(async () => {
          const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
          const heard = window.witness.record(photo, 'success');
          await photo.result(photo.get());
          return heard[0];
        });
      expect(await get()).toMatchObject({ servedFrom: 'network', stale: false });
      await server.down();
      expect(await get()).toMatchObject({ servedFrom: 'cache', stale: true, response: { url: '/photo/1' } });
      await server.up();
    });

    test('what it does is shown', async ({ page, server }) => {
      const opened = await openAt(place, page, server);
      const mode = place === 'sandboxed frame' ? 'memory' : 'indexeddb';
      const state = await opened.evaluate(async (choice) => {
        const connection = window.offstage.connect({ host: choice, timeout: 10_000 });
        const photo = new window.offstage.Resource(
          { get: { method: 'GET', url: '/photo/1' } },
          { connection },
        );
        photo.poll('get', {}, { interval: 60_000 });
        await new Promise((resolve) => photo.addListener('success', resolve));
        return { ...(await connection.inspect()), host: connection.host };
      }, choiceAt(place));
      expect(state).toMatchObject({
        host: place === 'sandboxed frame' ? 'page' : place,
        acting: true,
        generation: mode === 'memory' ? null : 1,
        loops: [{ action: 'get', requests: 1 }],
        cache: { mode, entries: 1 },
      });
    });
  });
}
