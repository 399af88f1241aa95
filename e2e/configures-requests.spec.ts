import { expect, test } from './test.ts';

test.describe('configureRequest', () => {
  test('stacks: description, then callbacks in order, then the call; a removed one is gone', async ({
    page,
  }) => {
    const outcome = await page.evaluate(async () => {
      const headers = { 'X-Who': 'description', 'X-First': 'description' };
      const photo = new window.offstage.Resource({
        put: { method: 'put', url: '/echo/{id}', headers, timeout: 4_000 },
        get: { method: 'GET', url: '/echo/{id}' },
      });
      const seen: unknown[] = [];
      photo.configureRequest((request, action, params, data) => {
        const { method, template, timeout, credentials } = request;
        seen.push({ action, own: request.action, method, template, timeout, credentials, params, data });
        seen.push(request.getRequestHeader('x-who'), request.params === params, request.data === data);
        request.setRequestHeader('x-who', 'one');
        request.setRequestHeader('X-One', ' 1 ');
      });
      const remove = photo.configureRequest((request) => request.setRequestHeader('X-Two', '2'));
      photo.configureRequest((request) => {
        seen.push(request.getRequestHeader('X-WHO'), request.getRequestHeader('X-None'));
        request.removeRequestHeader('x-one');
        request.setRequestHeader('X-Who', 'three');
      });
      photo.configureRequest((request) => request.setRequestHeader('X-Put', 'only'), 'put');
      const data = { a: 1 };
      const options = { headers: { 'X-Last': 'call', 'X-First': 'call' } };
      const first = await photo.result(photo.put({ id: 1 }, data, options));
      remove();
      const second = await photo.result(photo.put({ id: 2 }));
      const third = await photo.result(photo.get({ id: 3 }));
      return { seen: seen.slice(0, 6), first, second, third };
    });
    expect(outcome.seen).toEqual([
      {
        action: 'put',
        own: 'put',
        method: 'PUT',
        template: '/echo/{id}',
        timeout: 4_000,
        credentials: 'same-origin',
        params: { id: 1 },
        data: { a: 1 },
      },
      'description',
      true,
      true,
      'one',
      null,
    ]);
    const [first, second, third] = [outcome.first, outcome.second, outcome.third].map(headersOf);
    expect(first).toMatchObject({ 'x-who': 'three', 'x-two': '2', 'x-last': 'call', 'x-first': 'call' });
    expect(first).toMatchObject({ 'x-put': 'only' });
    expect(first).not.toHaveProperty('x-one');
    expect(second).not.toHaveProperty('x-two');
    expect(second).toMatchObject({ 'x-first': 'description' });
    expect(third).not.toHaveProperty('x-put');
  });

  test('sets Accept, the time allowed and the credentials of a request', async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      document.cookie = 'session=1';
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/echo' },
        // The server does not say that its answers vary, so equal URLs would share one.
        bare: { method: 'GET', url: '/echo?bare' },
        csv: { method: 'GET', url: '/echo?csv' },
        anonymous: { method: 'GET', url: '/echo?anonymous' },
        hasty: { method: 'GET', url: '/slow?ms=5000' },
        wrong: { method: 'GET', url: '/echo' },
      });
      photo.configureRequest((request, action) => {
        if (action === 'bare') request.removeRequestHeader('accept');
        if (action === 'csv') request.setAccept('text/csv');
        if (action === 'anonymous') request.credentials = 'omit';
        if (action === 'hasty') request.timeout = 100;
        if (action === 'wrong') request.timeout = -1;
      });
      const ids = [photo.get(), photo.bare(), photo.csv(), photo.anonymous()];
      return {
        answers: await Promise.all(ids.map((id) => photo.result(id))),
        hasty: await window.witness.ending(photo.result(photo.hasty())),
        wrong: window.witness.thrown(() => photo.wrong()),
      };
    });
    const [get, bare, csv, anonymous] = outcome.answers.map(headersOf);
    expect(get).toMatchObject({ accept: 'application/json, */*;q=0.5', cookie: 'session=1' });
    expect(bare).toMatchObject({ accept: '*/*' });
    expect(csv).toMatchObject({ accept: 'text/csv' });
    expect(anonymous).not.toHaveProperty('cookie');
    expect(outcome.hasty).toMatchObject({ code: 'timeout', failure: { timeout: 100 } });
    expect(outcome.wrong).toContain('RangeError: Timeout');
  });

  test('lets what a callback throws leave the call, and refuses a promise', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/echo/{id}' } });
      const heard = window.witness.record(photo, 'started', 'success', 'error');
      const mistake = new Error('on purpose');
      const remove = photo.configureRequest(() => {
        throw mistake;
      });
      const calls = [
        () => photo.get({ id: 1 }),
        () => photo.invoke('get', { id: 1 }),
        () => photo.poll('get', { id: 1 }),
        () => photo.longPoll('get', { id: 1 }),
      ];
      const thrown = calls.map((call) => window.witness.thrown(call));
      remove();
      const removeAsync = photo.configureRequest(async (request) => {
        request.setRequestHeader('X-Late', await Promise.resolve('late'));
      });
      thrown.push(window.witness.thrown(() => photo.get({ id: 2 })));
      removeAsync();
      const none = window.witness.misused(photo, 'configureRequest', 'none');
      await photo.result(photo.get({ id: 3 }));
      return { thrown, none, heard: heard.map(({ type }) => type) };
    });
    expect(outcome.thrown.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'Error: on purpose'));
    expect(outcome.thrown[4]).toContain('TypeError: configureRequest must not return a promise');
    expect(outcome.none).toContain('TypeError');
    expect(outcome.heard).toEqual(['started', 'success']);
    expect(server.journal.entries).toMatchObject([{ url: '/echo/3' }]);
  });

  test('refuses headers that cannot be sent, wherever they are set', async ({ page, server }) => {
    const wrong: readonly (readonly [name: string, value: string])[] = [
      ['X-Evil', 'a\r\nX-Other: b'],
      ['X-Evil', 'a\nb'],
      ['X-Evil', 'a\u0000b'],
      ['X-Evil', '10 €'],
      ['X Evil', 'a'],
      ['', 'a'],
      ['X-Evil\r\n', 'a'],
      ['Cookie', 'a=1'],
      ['host', 'evil.example'],
      ['Content-Length', '1'],
      ['Sec-Fetch-Site', 'same-origin'],
      ['Proxy-Authorization', 'a'],
      ['Origin', 'https://evil.example'],
    ];
    const refusals = await page.evaluate(async (headers) => {
      const { Resource } = window.offstage;
      const { thrown } = window.witness;
      const photo = new Resource({ get: { method: 'GET', url: '/echo' } });
      const refused = headers.map(([name, value]) => {
        const given = { headers: { [name]: value } };
        const described = new Resource({ get: { method: 'GET', url: '/echo', ...given } });
        const remove = photo.configureRequest((request) => request.setRequestHeader(name, value));
        const byCallback = thrown(() => photo.get());
        remove();
        return [byCallback, thrown(() => photo.get({}, null, given)), thrown(() => described.get())];
      });
      await photo.result(photo.get({}, null, { headers: { 'X-Fine': 'ü\tx', 'X-Empty': '' } }));
      return refused;
    }, wrong);
    for (const [index, refused] of refusals.entries()) {
      for (const refusal of refused) expect(refusal, wrong[index]?.[0]).toMatch(/^TypeError: .*[Hh]eader/s);
    }
    expect(server.journal.entries.length).toBe(1);
    expect(server.journal.entries[0]?.headers).toMatchObject({ 'x-empty': '' });
  });
});

function headersOf(echo: unknown): unknown {
  expect(echo).toHaveProperty('headers');
  return Object(echo).headers;
}
