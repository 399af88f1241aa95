import type { JSHandle, Page } from '@playwright/test';
import type { CredentialsRequest, Loop, Resource } from 'offstage';
import { snippet } from './guide.ts';
import { send, sendJson, type Exchange } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, stopWorkers, test } from './test.ts';

interface Providing {
  readonly asked: CredentialsRequest[];
  readonly remove: () => void;
}

/** Has a tab provide tokens: its name and a number that counts its answers. */
function provide(page: Page, name: string, lifetime: number | null = null): Promise<JSHandle<Providing>> {
  return page.evaluateHandle(
    (wish) => {
      const asked: CredentialsRequest[] = [];
      const remove = window.offstage.connect().credentials((request) => {
        asked.push(request);
        return {
          headers: { Authorization: `Bearer ${wish.name}${asked.length}` },
          ...(wish.lifetime !== null && { expiresAt: Date.now() + wish.lifetime }),
        };
      });
      return { asked, remove };
    },
    { name, lifetime },
  );
}

function reasons(providing: JSHandle<Providing>): Promise<string[]> {
  return providing.evaluate(({ asked }) => asked.map(({ reason }) => reason));
}

/** Answers with the token that came, or with 401 to those that are not accepted. */
function accept(server: FixtureServer, isAccepted: (token: string) => boolean): void {
  const answer = (exchange: Exchange): void => {
    const token = exchange.request.headers.authorization ?? '';
    if (isAccepted(token)) sendJson(exchange, { token });
    else sendJson(exchange, { error: 'Who are you?' }, {}, 401);
  };
  server.on('GET /secret', answer);
  server.on('POST /secret', answer);
}

function get(page: Page, method = 'GET'): Promise<unknown> {
  return page.evaluate(async (verb) => {
    const resource = new window.offstage.Resource({ ask: { method: verb, url: '/secret' } });
    return await window.witness.ending(resource.result(resource.ask()));
  }, method);
}

function poll(
  page: Page,
  interval: number,
): Promise<JSHandle<{ readonly photo: Resource; readonly loop: Loop }>> {
  return page.evaluateHandle(
    (wish) => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/secret' } });
      return { photo, loop: photo.poll('get', {}, wish) };
    },
    { interval },
  );
}

function tokens(server: FixtureServer): (string | undefined)[] {
  return server.journal.of('/secret').map(({ headers }) => headers['authorization']);
}

test('two tabs cost one question, for calls and loops of both', async ({ page, openTab, server }) => {
  accept(server, () => true);
  const tab = await openTab();
  const one = await provide(page, 'one');
  const two = await provide(tab, 'two');
  await Promise.all([get(page), get(tab), poll(page, 200), get(tab)]);
  await expect.poll(() => server.journal.of('/secret').length).toBeGreaterThan(5);
  expect([...(await reasons(one)), ...(await reasons(two))]).toEqual(['first']);
  expect(new Set(tokens(server)).size).toBe(1);
  expect(tokens(server)[0]).toMatch(/^Bearer (one|two)1$/);
});

test('a token that is rotated is a new one on every tick', async ({ page, server }) => {
  accept(server, () => true);
  const providing = await provide(page, 'tab', 0);
  await poll(page, 100);
  await expect.poll(() => server.journal.of('/secret').length).toBeGreaterThan(4);
  const sent = tokens(server);
  expect(sent).toEqual(sent.map((_, nth) => `Bearer tab${nth + 1}`));
  expect((await reasons(providing)).slice(0, 3)).toEqual(['first', 'expired', 'expired']);
});

for (const method of ['GET', 'POST'])
  test(`a ${method} that is answered with 401 is repeated once, with another token`, async ({
    page,
    server,
  }) => {
    accept(server, (token) => token === 'Bearer tab2');
    const providing = await provide(page, 'tab');
    expect(await get(page, method)).toMatchObject({ response: { token: 'Bearer tab2' } });
    expect(tokens(server)).toEqual(['Bearer tab1', 'Bearer tab2']);
    expect(await reasons(providing)).toEqual(['first', 'refused']);
  });

test('many calls that are answered with 401 ask once', async ({ page, server }) => {
  accept(server, (token) => token === 'Bearer tab2');
  const providing = await provide(page, 'tab');
  const answers = await page.evaluate(async () => {
    const resource = new window.offstage.Resource({ ask: { method: 'POST', url: '/secret{?n}' } });
    const ids = Array.from({ length: 50 }, (_, n) => resource.ask({ n }));
    return await Promise.all(ids.map((id) => window.witness.ending(resource.result(id))));
  });
  expect(answers).toEqual(answers.map(() => ({ response: { token: 'Bearer tab2' } })));
  expect(await reasons(providing)).toEqual(['first', 'refused']);
});

test('another 401 is told as it is, in one event', async ({ page, server }) => {
  accept(server, () => false);
  await provide(page, 'tab');
  const heard = await page.evaluate(async () => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/secret' } });
    const events = window.witness.record(photo, 'success', 'error', 'sent');
    await window.witness.ending(photo.result(photo.get()));
    return events;
  });
  expect(heard.map(({ type }) => type)).toEqual(['sent', 'error']);
  expect(heard.at(-1)).toMatchObject({ status: 401 });
  expect(tokens(server)).toEqual(['Bearer tab1', 'Bearer tab2']);
});

test('where the tab that was asked closes, the next one is asked', async ({ page, openTab, server }) => {
  accept(server, () => true);
  const tab = await openTab();
  await tab.evaluate(() => {
    window.offstage.connect().credentials(() => new Promise(() => {}));
  });
  const call = get(page);
  await expect
    .poll(() => page.evaluate(async () => (await window.offstage.connect().inspect()).calls.length))
    .toBe(1);
  const providing = await provide(page, 'next');
  await tab.close();
  expect(await call).toMatchObject({ response: { token: 'Bearer next1' } });
  expect(await reasons(providing)).toEqual(['first']);
});

test('another worker asks again', async ({ page, server, context }) => {
  accept(server, () => true);
  const providing = await provide(page, 'tab');
  await get(page);
  await stopWorkers(context);
  expect(await get(page)).toMatchObject({ response: { token: 'Bearer tab2' } });
  expect(await reasons(providing)).toEqual(['first', 'first']);
});

test('what the provider throws is the failure of calls, and loops back off', async ({ page, server }) => {
  accept(server, () => true);
  const heard = await page.evaluate(async () => {
    const { connect, Resource } = window.offstage;
    let asked = 0;
    connect().credentials(() => {
      asked += 1;
      throw new Error('You are not signed in');
    });
    const photo = new Resource({ get: { method: 'GET', url: '/secret' } });
    const call = await photo.result(photo.get()).catch((error: unknown) => String(error));
    const { calls } = { calls: asked };
    const events = window.witness.record(photo, 'error');
    photo.poll('get', {}, { interval: 100 });
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    return { call, events, ticks: asked - calls };
  });
  expect(heard.call).toContain('You are not signed in');
  expect(heard.events[0]).toMatchObject({ code: 'credentials' });
  // Some 18 by the rule, of which chance makes 28 once in 100,000 times; every 100 ms it would be 40.
  expect(heard.ticks, 'not every 100 ms').toBeLessThan(30);
  expect(server.journal.of('/secret')).toEqual([]);
});

test('what a provider gave is not shown, and is in no record of the database', async ({ page, server }) => {
  server.on('GET /echo-key', (exchange) =>
    send(exchange, 200, '{}', {
      'Content-Type': 'application/json',
      'X-Key': exchange.request.headers['x-key'] ?? '',
      'Cache-Control': 'max-age=60',
    }),
  );
  const shown = await page.evaluate(async () => {
    const { connect, Resource } = window.offstage;
    connect().credentials(() => ({ headers: { 'X-Key': 'swordfish', Authorization: 'Bearer swordfish' } }));
    const photo = new Resource({ get: { method: 'GET', url: '/echo-key' } });
    const requests: unknown[] = [];
    photo.addListener('success', ({ request }) => requests.push([...request.headers]));
    const loop = photo.poll('get', {}, { interval: 100 });
    await photo.result(photo.get());
    await new Promise((resolve) => setTimeout(resolve, 500));
    loop.stop();
    return { requests, state: await connect().inspect() };
  });
  expect(server.journal.of('/echo-key')[0]?.headers['x-key']).toBe('swordfish');
  expect(JSON.stringify(shown)).not.toContain('swordfish');
  expect(JSON.stringify(shown)).toContain('redacted');
  const stored = await page.evaluate(() => window.witness.stored());
  expect(stored).toContain('/echo-key');
  expect(stored).not.toContain('swordfish');
});

test('the sample of the guide works as it stands', async ({ page, server }) => {
  server.on('POST /token', (exchange) =>
    sendJson(exchange, { token: 'of the guide', expiresAt: Date.now() + 60_000 }),
  );
  accept(server, () => true);
  const sample = await snippet('credentials.md', 'connection.credentials(async');
  const content = `const { connect } = window.offstage;\n${sample}\ndocument.title = 'Provided';`;
  await page.addScriptTag({ type: 'module', content });
  await expect(page).toHaveTitle('Provided');
  expect(await get(page)).toMatchObject({ response: { token: 'Bearer of the guide' } });
  expect(JSON.parse(server.journal.of('/token')[0]?.body ?? '')).toEqual({
    origin: server.url,
    reason: 'first',
  });
});
