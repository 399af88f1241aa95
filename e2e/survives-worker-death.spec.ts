import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

test.describe('the worker’s death', () => {
  test('between two invocations goes unnoticed', async ({ page, server, stopWorkers }) => {
    const resource = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/photo/{id}' },
        post: { method: 'POST', url: '/photo/{id}' },
      });
      return { photo, heard: window.witness.record(photo, 'getSuccess', 'postSuccess', 'error') };
    });
    await resource.evaluate(({ photo }) => photo.result(photo.get({ id: 1 })));
    const before = await instanceOf();
    await stopWorkers();
    expect(await resource.evaluate(({ photo }) => photo.result(photo.get({ id: 2 })))).toMatchObject({
      url: '/photo/2',
    });
    expect(await instanceOf()).not.toBe(before);
    await stopWorkers();
    await resource.evaluate(({ photo }) => photo.result(photo.post({ id: 3 }, 'a=1')));
    expect(await resource.evaluate(({ heard }) => heard.map(({ type }) => type))).toEqual([
      'getSuccess',
      'getSuccess',
      'postSuccess',
    ]);
    expect(server.journal.entries.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /photo/1',
      'GET /photo/2',
      'POST /photo/3',
    ]);

    async function instanceOf(): Promise<string> {
      return page.evaluate(async () => (await window.offstage.connect().inspect()).instance);
    }
  });

  test('during a read or a replaceable write has it sent again, and its answer told once', async ({
    page,
    server,
    stopWorkers,
  }) => {
    server.on('DELETE /photo/4', (exchange) => {
      if (server.journal.of('/photo/4').length > 1) sendJson(exchange, {}, {}, 404);
    });
    const calls = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/hold?key=get' },
        head: { method: 'HEAD', url: '/hold?key=get' },
        put: { method: 'PUT', url: '/hold?key=put' },
        del: { method: 'DELETE', url: '/photo/4' },
      });
      const heard = window.witness.record(photo, 'success', 'error');
      const ids = [photo.get(), photo.head(), photo.put({}, { title: 'Sea' }), photo.del()];
      return { heard, results: ids.map((id) => window.witness.ending(photo.result(id))) };
    });
    await expect.poll(() => server.journal.entries.length).toBe(4);
    await stopWorkers();
    await expect.poll(() => server.journal.entries.length).toBe(8);
    server.release('get', '"got"');
    server.release('put', '"put"');
    const { heard, results } = await calls.evaluate(async (each) => ({
      heard: each.heard,
      results: await Promise.all(each.results),
    }));
    expect(results).toEqual([
      { response: 'got' },
      { response: null },
      { response: 'put' },
      { response: null },
    ]);
    expect(heard.map(({ type }) => type)).toEqual(['success', 'success', 'success', 'success']);
    const puts = server.journal.entries.filter(({ method }) => method === 'PUT');
    expect(puts).toMatchObject([{ body: 'title=Sea' }, { body: 'title=Sea' }]);
  });

  test('during a write that adds is an error that says it may have been applied, and is not sent twice', async ({
    page,
    server,
    stopWorkers,
  }) => {
    const calls = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        post: { method: 'POST', url: '/hold?key=post' },
        patch: { method: 'PATCH', url: '/hold?key=patch' },
        get: { method: 'GET', url: '/echo' },
      });
      const heard = window.witness.record(photo, 'postError', 'error', 'success');
      const ids = [photo.post({}, 'a=1'), photo.patch({}, 'a=1')];
      return { photo, heard, results: ids.map((id) => window.witness.ending(photo.result(id))) };
    });
    await expect.poll(() => server.journal.entries.length).toBe(2);
    await stopWorkers();
    const { heard, results } = await calls.evaluate(async ({ photo, ...each }) => {
      const ended = await Promise.all(each.results);
      await photo.result(photo.get());
      return { heard: each.heard, results: ended };
    });
    expect(results).toMatchObject([{ code: 'worker-lost' }, { code: 'worker-lost' }]);
    expect(results[0]?.error).toContain("'post': the POST may have been applied");
    expect(heard).toMatchObject([
      { type: 'postError', phase: 'error', code: 'worker-lost', status: 0 },
      { type: 'error', action: 'post' },
      { type: 'error', action: 'patch' },
      { type: 'success', action: 'get' },
    ]);
    expect(
      server.journal
        .of('/hold')
        .map(({ method }) => method)
        .toSorted(),
    ).toEqual(['PATCH', 'POST']);
  });

  test('leaves loops running', async ({ page, server, stopWorkers }) => {
    const loops = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        live: { method: 'GET', url: '/etag' },
        rare: { method: 'GET', url: '/photo/1' },
        news: { method: 'GET', url: '/hold?key=news' },
      });
      const heard = window.witness.record(photo, 'liveSuccess', 'newsSuccess', 'error');
      photo.poll('live', {}, { interval: 200 });
      photo.poll('rare', {}, { interval: 60_000 });
      photo.longPoll('news');
      return { heard };
    });
    const ticks = (): Promise<number> => loops.evaluate(({ heard }) => heard.length);
    await expect.poll(ticks).toBeGreaterThan(1);
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    await stopWorkers();
    const before = await ticks();
    await expect.poll(ticks).toBeGreaterThan(before + 2);
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    server.release('news', '"after"');
    await expect
      .poll(() => loops.evaluate(({ heard }) => heard.find(({ action }) => action === 'news')))
      .toMatchObject({ response: 'after' });
    const { heard } = await loops.evaluate((each) => ({ heard: each.heard }));
    const polls = heard.filter(({ action }) => action === 'live');
    expect(polls.filter(({ changed }) => changed).length, 'what is stored outlives the worker').toBe(1);
    expect(heard.filter(({ code }) => code !== null)).toEqual([]);
    expect(server.journal.of('/photo/1').length, 'a loop that was not due waits on').toBe(1);
  });
});
