import type { Page } from '@playwright/test';
import { headersOf, send, sendJson, type Exchange } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

type Options = Readonly<Record<string, unknown>>;

/** One call of another origin; its answer, or how it failed. */
function ask(page: Page, url: string, options: Options = {}, data: object | null = null): Promise<unknown> {
  return page.evaluate(
    async (wish) => {
      const { method = 'GET', ...others } = wish.options;
      const api = new window.offstage.Resource({
        ask: { method: String(method), url: wish.url, ...others },
      });
      const heard = window.witness.record(api, 'success', 'error');
      await window.witness.ending(api.result(api.ask({}, wish.data)));
      return heard.at(-1);
    },
    { url, options, data },
  );
}

/** Polls another origin ten times a second. */
async function poll(page: Page, url: string, options: Options = {}): Promise<void> {
  await page.evaluate(
    (wish) => {
      const api = new window.offstage.Resource({ get: { method: 'GET', url: wish.url, ...wish.options } });
      window.loops.LOOPS.push(api.poll('get', {}, { interval: 100 }));
    },
    { url, options },
  );
}

/** Has the server keep its headers to itself, but for those that Fetch shows of every answer. */
function hide({ response }: Exchange): void {
  response.removeHeader('Access-Control-Expose-Headers');
}

/** A document whose validator may be readable, and which knows its own. */
function versioned(server: FixtureServer, path: `/${string}`, isExposed: boolean): void {
  server.on(`GET ${path}`, (exchange) => {
    if (!isExposed) hide(exchange);
    const headers = { ETag: '"1"' };
    if (exchange.request.headers['if-none-match'] === '"1"') send(exchange, 304, undefined, headers);
    else sendJson(exchange, { version: 1 }, headers);
  });
}

test.describe('a preflight is caused', () => {
  test('by no plain read, form or tick', async ({ page, elsewhere }) => {
    await ask(page, `${elsewhere.url}/echo/1?q=sea`);
    await ask(page, `${elsewhere.url}/echo/2`, { method: 'POST' }, { title: 'Sea' });
    await ask(page, `${elsewhere.url}/echo/3`, { headers: { 'Accept-Language': 'de' } });
    await poll(page, `${elsewhere.url}/echo/4`);
    await expect.poll(() => elsewhere.journal.of('/echo/4').length).toBeGreaterThan(2);
    expect(elsewhere.journal.of('/echo/2')).toMatchObject([{ method: 'POST', body: 'title=Sea' }]);
    expect(elsewhere.preflights).toEqual([]);
  });

  test('by JSON, by other methods and by headers of the page', async ({ page, elsewhere }) => {
    await ask(
      page,
      `${elsewhere.url}/echo/json`,
      { method: 'POST', headers: { 'Content-Type': 'application/json' } },
      {},
    );
    await ask(page, `${elsewhere.url}/echo/put`, { method: 'PUT' });
    await ask(page, `${elsewhere.url}/echo/key`, { headers: { 'X-Key': 'a' } });
    expect(elsewhere.preflights).toEqual(['/echo/json', '/echo/put', '/echo/key']);
  });

  test('by what a provider gives, and only where it is sent', async ({ page, elsewhere }) => {
    await page.evaluate((origin) => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ origins: [origin] });
      connection.credentials(() => ({ headers: { Authorization: 'Bearer api' } }), { origins: [origin] });
      const api = new Resource({ get: { method: 'GET', url: `${origin}/echo/secret` } }, { connection });
      return api.result(api.get());
    }, elsewhere.url);
    expect(elsewhere.preflights).toEqual(['/echo/secret']);
    expect(elsewhere.journal.of('/echo/secret')[0]?.headers['authorization']).toBe('Bearer api');
  });

  test('by the validator of a tick, and only where its server lets us read it', async ({
    page,
    elsewhere,
  }) => {
    versioned(elsewhere, '/open', true);
    versioned(elsewhere, '/closed', false);
    await poll(page, `${elsewhere.url}/open`);
    await poll(page, `${elsewhere.url}/closed`);
    for (const path of ['/open', '/closed'])
      await expect.poll(() => elsewhere.journal.of(path).length).toBeGreaterThan(3);
    const asked = (path: string): (string | undefined)[] =>
      elsewhere.journal
        .of(path)
        .slice(1, 4)
        .map(({ headers }) => headers['if-none-match']);
    expect(asked('/open')).toEqual(['"1"', '"1"', '"1"']);
    expect(asked('/closed')).toEqual([undefined, undefined, undefined]);
    expect(new Set(elsewhere.preflights)).toEqual(new Set(['/open']));
  });
});

test('an answer whose ETag is hidden comes whole each time, and is not told as changed', async ({
  page,
  elsewhere,
}) => {
  versioned(elsewhere, '/closed', false);
  const heard = await page.evaluateHandle((url) => {
    const api = new window.offstage.Resource({ get: { method: 'GET', url } });
    const events = window.witness.record(api, 'success', 'error');
    api.poll('get', {}, { interval: 100 });
    return events;
  }, `${elsewhere.url}/closed`);
  await expect.poll(() => heard.evaluate(({ length }) => length)).toBeGreaterThan(3);
  const changes = await heard.evaluate((events) => events.map(({ changed }) => changed));
  expect(changes.slice(0, 3)).toEqual([true, false, false]);
});

test('Retry-After is waited for where it can be read; otherwise the rule of loops alone counts', async ({
  page,
  elsewhere,
}) => {
  elsewhere.on('GET /open', busy);
  elsewhere.on('GET /closed', (exchange) => {
    hide(exchange);
    busy(exchange);
  });
  await poll(page, `${elsewhere.url}/open`);
  await expect.poll(() => elsewhere.journal.of('/open').length).toBe(1);
  await expect.poll(() => dueIn(page)).toBeGreaterThan(500_000);
  await page.evaluate(() => window.loops.LOOPS.forEach((loop) => loop.stop()));
  await poll(page, `${elsewhere.url}/closed`);
  await expect.poll(() => elsewhere.journal.of('/closed').length).toBeGreaterThan(1);
});

function busy(exchange: Exchange): void {
  sendJson(exchange, {}, { 'Retry-After': '600' }, 503);
}

/** Milliseconds until the first loop asks again. */
function dueIn(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { loops, now } = await window.offstage.connect().inspect();
    return (loops[0]?.nextDueAt ?? now) - now;
  });
}

for (const [credentials, isSent] of [
  ['include', true],
  ['same-origin', false],
  ['omit', false],
] as const)
  test(`cookies go along with credentials: '${credentials}' ${isSent ? '' : 'not'}`, async ({
    page,
    elsewhere,
  }) => {
    elsewhere.on('GET /sign-in', (exchange) => sendJson(exchange, {}, { 'Set-Cookie': 'user=ada' }));
    await ask(page, `${elsewhere.url}/sign-in`, { credentials });
    await ask(page, `${elsewhere.url}/echo/1`, { credentials });
    const [entry] = elsewhere.journal.of('/echo/1');
    expect(entry?.headers['cookie']).toBe(isSent ? 'user=ada' : undefined);
  });

test('a server that allows everybody is refused by the browser with cookies, and read without', async ({
  page,
  elsewhere,
}) => {
  elsewhere.on('GET /public', (exchange) => {
    exchange.response.setHeader('Access-Control-Allow-Origin', '*');
    sendJson(exchange, { open: true });
  });
  expect(await ask(page, `${elsewhere.url}/public`)).toMatchObject({ response: { open: true } });
  expect(await ask(page, `${elsewhere.url}/public`, { credentials: 'include' })).toMatchObject({
    code: 'network',
  });
});

test('Vary: Origin keeps no answer from being fresh', async ({ page, elsewhere }) => {
  elsewhere.on('GET /fresh', (exchange) =>
    sendJson(
      exchange,
      { n: elsewhere.journal.of('/fresh').length },
      { 'Cache-Control': 'max-age=60', Vary: 'Origin' },
    ),
  );
  expect(await ask(page, `${elsewhere.url}/fresh`)).toMatchObject({
    response: { n: 1 },
    servedFrom: 'network',
  });
  expect(await ask(page, `${elsewhere.url}/fresh`)).toMatchObject({
    response: { n: 1 },
    servedFrom: 'cache',
  });
});

test('where Vary cannot be read, answers to other headers are other answers', async ({ page, elsewhere }) => {
  elsewhere.on('GET /greeting', (exchange) => {
    hide(exchange);
    const language = headersOf(exchange.request)['accept-language'];
    sendJson(exchange, { language }, { 'Cache-Control': 'max-age=60', Vary: 'Accept-Language' });
  });
  for (const language of ['de', 'en', 'de'])
    expect(
      await ask(page, `${elsewhere.url}/greeting`, { headers: { 'Accept-Language': language } }),
    ).toMatchObject({
      response: { language },
    });
  expect(elsewhere.journal.of('/greeting').length, 'the second German one is stored').toBe(2);
});
