import { expect, test } from './test.ts';

test.describe('a connection', () => {
  test('is the same for the same options; the first one serves all', async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const first = connect({ serviceWorker: '/service-worker.js' });
      const hasty = connect({ serviceWorker: '/service-worker.js', timeout: 200 });
      const same = [
        connect() === first,
        connect({ timeout: 30_000, retry: 0 }) === first,
        connect({ timeout: 200 }) === hasty,
        hasty === first,
      ];
      await hasty.ready;
      const slow = { get: { method: 'GET', url: '/slow?ms=600' } } as const;
      const [patient, impatient] = [new Resource(slow), new Resource(slow, { connection: hasty })];
      const endings = [
        await window.witness.ending(impatient.result(impatient.get())),
        await window.witness.ending(patient.result(patient.get())),
      ];
      return { same, endings, host: first.host };
    });
    expect(outcome.same).toEqual([true, true, true, false]);
    expect(outcome.endings).toMatchObject([{ code: 'timeout' }, { response: { method: 'GET' } }]);
    expect(outcome.host).toBe('service-worker');
  });

  test('that is closed ends what it has under way, and serves nothing any more', async ({ page, server }) => {
    const closing = await page.evaluateHandle(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js', timeout: 20_000 });
      await connection.ready;
      const photo = new Resource({ get: { method: 'GET', url: '/hold?key={id}' } }, { connection });
      const heard = window.witness.record(photo, 'error');
      const statuses: string[] = [];
      connection.addEventListener('status', () => statuses.push(connection.status));
      const { ending } = window.witness;
      const open = ending(photo.result(photo.get({ id: 1 })));
      photo.poll('get', { id: 2 }, { interval: 300 });
      return { connection, photo, heard, statuses, open };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(2);
    const outcome = await closing.evaluate(async ({ connection, photo, heard, statuses, open }) => {
      const { ending } = window.witness;
      connection.close();
      const under = await open;
      const told = heard.splice(0).map(({ code }) => code);
      const later = [photo.result(photo.get({ id: 3 })), connection.ready, connection.inspect()];
      later.push(connection.cache.clear());
      const endings = await Promise.all(later.map(ending));
      photo.poll('get', { id: 4 });
      await new Promise((resolve) => photo.addEventListener('getError', resolve, { once: true }));
      const reopened = window.offstage.connect({ timeout: 20_000 }) !== connection;
      return { under, told, endings: endings.map(({ code }) => code), statuses, reopened };
    });
    expect(outcome).toMatchObject({ under: { code: 'not-connected' }, statuses: ['closed'], reopened: true });
    expect(outcome.told).toEqual(['not-connected', 'not-connected']);
    expect(outcome.endings).toEqual(Array.from({ length: 4 }, () => 'not-connected'));
    await expect.poll(() => server.journal.open('/hold')).toEqual([]);
    expect(server.journal.of('/hold').length).toBe(2);
  });

  test('that is closed while a resource without one of its own polls opens no other', async ({
    context,
    server,
  }) => {
    const page = await context.newPage();
    await page.goto(server.url);
    const registered = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ host: 'page' });
      const photo = new Resource({ get: { method: 'GET', url: '/photo/1' } });
      const ticked = new Promise((resolve) => photo.addListener('getSuccess', resolve));
      photo.poll('get', {}, { interval: 60_000 });
      await ticked;
      connection.close();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL);
    });
    expect(registered).toEqual([]);
  });

  test('is made with defaults by the first invocation, if need be', async ({ context, server }) => {
    const page = await context.newPage();
    await page.goto(server.url);
    const answer = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const answered = await photo.result(photo.get());
      await window.offstage.connect().ready;
      const registration = await navigator.serviceWorker.getRegistration();
      return { answered, script: registration?.active?.scriptURL, status: window.offstage.connect().status };
    });
    expect(answer).toMatchObject({ answered: { url: '/photo/1' }, status: 'connected' });
    expect(answer.script).toBe(`${server.url}/service-worker.js`);
  });

  test('says what is wrong with its options, and where there is no worker', async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const { ending, thrown } = window.witness;
      const origins = ['example.com', 'ftp://example.com', 'https://example.com/path', ''];
      const wrong = [
        ...origins.map((origin) => thrown(() => connect({ origins: [origin] }))),
        thrown(() => connect({ timeout: 0 })),
        thrown(() => connect({ retry: 1.5 })),
      ];
      const connection = connect({
        host: 'service-worker',
        serviceWorker: '/nowhere.js',
        scope: '/nowhere/',
      });
      const photo = new Resource({ get: { method: 'GET', url: '/photo/1' } }, { connection });
      const endings = [await ending(connection.ready), await ending(photo.result(photo.get()))];
      return { wrong, endings, status: connection.status };
    });
    for (const each of outcome.wrong) expect(each).toMatch(/^(TypeError|RangeError): /);
    expect(outcome.endings).toMatchObject([{ code: 'not-connected' }, { code: 'not-connected' }]);
    expect(outcome.status).toBe('unavailable');
  });

  test('shows what its worker is doing', async ({ page, server }) => {
    await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/hold?key={id}' },
        list: { method: 'GET', url: '/photo' },
      });
      photo.get({ id: 1 });
      photo.longPoll('get', { id: 2 });
      photo.poll('list', null, { interval: 30_000 });
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(2);
    const state = (): Promise<unknown> => page.evaluate(() => window.offstage.connect().inspect());
    const template = '/hold?key={id}';
    await expect.poll(state).toMatchObject({
      instance: expect.any(String),
      pages: 1,
      calls: [{ action: 'get', method: 'GET', template, since: expect.any(Number) }],
      loops: [
        { action: 'get', template, kind: 'long-poll', interval: null, state: 'asking', nextDueAt: null },
        { action: 'list', kind: 'poll', interval: 30_000, state: 'waiting', nextDueAt: expect.any(Number) },
      ],
      cache: { mode: 'indexeddb', entries: 1 },
    });
    server.release('1', '1');
    await expect.poll(state).toMatchObject({ calls: [], cache: { entries: 2 } });
  });
});
