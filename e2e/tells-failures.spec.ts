import { expect, test } from './test.ts';

test.describe('a failure', () => {
  test('of the server’s tells its status, headers and parsed body', async ({ page, server }) => {
    server.on('GET /photo/1', ({ response }) => {
      response.writeHead(409, { 'Content-Type': 'application/problem+json', 'X-Trace': '7' });
      response.end('{"title": "Conflict"}');
    });
    const outcome = await page.evaluate(async () => {
      const { Resource, RestError } = window.offstage;
      const photo = new Resource({
        get: { method: 'GET', url: '/photo/1' },
        text: { method: 'POST', url: '/answer?status=500&type=text/plain&body=sorry' },
        empty: { method: 'GET', url: '/answer?status=404' },
        broken: { method: 'GET', url: '/answer?status=502&body=%7B' },
      });
      const heard = window.witness.record(photo, 'getError', 'error', 'success');
      let kinds: unknown = null;
      photo.addListener('getError', ({ error, headers }) => {
        kinds = [error instanceof RestError, error instanceof Error, error?.name, headers.get('x-trace')];
      });
      const ids = [photo.get(), photo.text(), photo.empty(), photo.broken()];
      const endings = await Promise.all(ids.map((id) => window.witness.ending(photo.result(id))));
      return { heard, kinds, failures: endings.map(({ failure }) => failure) };
    });
    expect(outcome.failures).toMatchObject([
      { code: 'http', status: 409, body: { title: 'Conflict' } },
      { code: 'http', status: 500, body: 'sorry' },
      { code: 'http', status: 404, body: null },
      { code: 'http', status: 502, body: '{' },
    ]);
    expect(outcome.kinds).toEqual([true, true, 'RestError', '7']);
    const told = { phase: 'statusError', status: 409, response: { title: 'Conflict' }, code: 'http' };
    const conflict = outcome.heard.filter(({ status }) => status === 409);
    expect(conflict).toMatchObject([
      { type: 'getError', ...told },
      { type: 'error', ...told },
    ]);
    expect(conflict[0]?.message).toBe(`GET ${server.url}/photo/1 was answered with status 409`);
    expect(outcome.heard.length).toBe(5);
  });

  test('of the network, before and amid the answer, is told apart from being offline', async ({
    page,
    context,
    server,
  }) => {
    const ask = (): Promise<unknown> =>
      page.evaluate(async () => {
        const photo = new window.offstage.Resource({
          get: { method: 'GET', url: '/echo' },
          post: { method: 'POST', url: '/echo' },
          cut: { method: 'GET', url: '/cut' },
        });
        const heard = window.witness.record(photo, 'error');
        const ids = [photo.get(), photo.post({}, 'a=1'), photo.cut()];
        for (const id of ids) await window.witness.ending(photo.result(id));
        return heard.map(({ code, phase, status }) => `${code} ${phase} ${status}`);
      });
    const restore = [
      server.on('GET /echo', ({ response }) => void response.destroy()),
      server.on('POST /echo', ({ response }) => void response.destroy()),
    ];
    expect(await ask()).toEqual(['network error 0', 'network error 0', 'network error 0']);
    for (const each of restore) each();
    await server.down();
    expect(await ask()).toEqual(['network error 0', 'network error 0', 'network error 0']);
    await context.setOffline(true);
    expect(await ask()).toEqual(['offline error 0', 'offline error 0', 'offline error 0']);
  });

  test('to answer in time, to the last byte, says so: by the call, the description, the connection', async ({
    page,
    server,
  }) => {
    const outcome = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const slow = { method: 'GET', url: '/slow?ms=5000' };
      const connection = connect({ serviceWorker: '/service-worker.js', timeout: 300 });
      const hasty = new Resource({ get: slow, patient: { ...slow, timeout: 9_000 } }, { connection });
      const photo = new Resource({
        get: { ...slow, timeout: 200 },
        drip: { method: 'GET', url: '/drip?bytes=1000&ms=5000', timeout: 300 },
      });
      const heard = window.witness.record(photo, 'error');
      const { ending } = window.witness;
      const began = performance.now();
      const endings = [
        ending(photo.result(photo.get())),
        ending(photo.result(photo.drip())),
        ending(hasty.result(hasty.get())),
        ending(hasty.result(hasty.patient({}, null, { timeout: 250 }))),
      ];
      const failures = (await Promise.all(endings)).map(({ failure }) => failure);
      const took = performance.now() - began;
      const wrong = [0, -1, Number.NaN, Infinity].map((timeout) =>
        window.witness.thrown(() => photo.get({}, null, { timeout })),
      );
      return { heard, failures, took, wrong };
    });
    expect(outcome.failures).toMatchObject(
      [200, 300, 300, 250].map((timeout) => ({ code: 'timeout', timeout })),
    );
    expect(outcome.heard).toMatchObject(outcome.heard.map(() => ({ phase: 'timeout', status: 0 })));
    expect(outcome.heard.length).toBe(2);
    expect(outcome.took).toBeLessThan(3_000);
    for (const each of outcome.wrong) expect(each).toContain("RangeError: Timeout of 'get' must be a number");
    await expect.poll(() => server.journal.open('/slow')).toEqual([]);
    // Equal reads at one time share a request, which ends with the last of them.
    expect(server.journal.of('/slow')).toMatchObject([{ state: 'cut' }]);
  });

  test('to be what it says is a parse error, and HTML where JSON was before is one too', async ({
    page,
    server,
  }) => {
    const outcome = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        broken: { method: 'GET', url: '/json-broken' },
        get: { method: 'GET', url: '/photo/1' },
      });
      const heard = window.witness.record(photo, 'error');
      const endings = [await window.witness.ending(photo.result(photo.broken()))];
      await photo.result(photo.get());
      return { heard, failure: endings[0]?.failure };
    });
    expect(outcome.failure).toMatchObject({ code: 'parse', status: 200, contentType: 'application/json' });
    expect(outcome.heard).toMatchObject([
      { code: 'parse', phase: 'error', status: 200, response: '{"id": 1, "title": ' },
    ]);

    server.on('GET /photo/1', ({ response }) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Sign in</p>');
    });
    const portal = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      return window.witness.ending(photo.result(photo.get()));
    });
    expect(portal).toMatchObject({ code: 'parse', failure: { contentType: 'text/html' } });
    await server.down();
    const stored = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      return window.witness.ending(photo.result(photo.get()));
    });
    expect(stored).toMatchObject({ response: { url: '/photo/1' } });
  });

  test('of passing nature is asked again as often as `retry` says, writes that add never', async ({
    page,
    server,
  }) => {
    for (const method of ['GET', 'PUT', 'POST', 'DELETE'] as const) {
      server.on(`${method} /photo/1`, ({ response }) => {
        const asked = server.journal.of('/photo/1').filter((each) => each.method === method).length;
        response.writeHead(asked < 3 ? 503 : 200, { 'Content-Type': 'application/json' }).end(String(asked));
      });
    }
    const outcome = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js', retry: 2 });
      const photo = new Resource(
        {
          get: { method: 'GET', url: '/photo/1' },
          put: { method: 'PUT', url: '/photo/1', retry: 1 },
          post: { method: 'POST', url: '/photo/1', retry: 2 },
          del: { method: 'DELETE', url: '/photo/1', retry: 2 },
          missing: { method: 'GET', url: '/status/404' },
        },
        { connection },
      );
      const heard = window.witness.record(photo, 'getSent', 'getError');
      const ids = [
        photo.get(),
        photo.put(),
        photo.post(),
        photo.del({}, null, { retry: 0 }),
        photo.missing(),
      ];
      const endings = await Promise.all(ids.map((id) => window.witness.ending(photo.result(id))));
      return { endings: endings.map(({ code, response }) => code ?? response), heard };
    });
    expect(outcome.endings).toEqual([3, 'http', 'http', 'http', 'http']);
    expect(outcome.heard).toMatchObject([{ type: 'getSent', status: 200 }]);
    const counts = ['GET', 'PUT', 'POST', 'DELETE'].map(
      (method) => server.journal.of('/photo/1').filter((each) => each.method === method).length,
    );
    expect(counts).toEqual([3, 2, 1, 1]);
    expect(server.journal.of('/status/404').length).toBe(1);
  });
});
