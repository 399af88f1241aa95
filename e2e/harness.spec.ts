import type { Page } from '@playwright/test';
import { expect, test } from './test.ts';

/** The harness itself, without the library: a test that stands on it fails for reasons of its own. */

test.describe('the fixture server', () => {
  test('echoes what it was asked and keeps a journal', async ({ server }) => {
    const response = await fetch(`${server.url}/echo/a%20b?c=1`, {
      method: 'PUT',
      body: 'text',
      headers: { 'X-One': '1' },
    });
    expect(await response.json()).toMatchObject({
      method: 'PUT',
      url: '/echo/a%20b?c=1',
      headers: { 'x-one': '1' },
      body: 'text',
    });
    expect(server.journal.of('/echo/a%20b')).toMatchObject([
      { method: 'PUT', body: 'text', state: 'answered' },
    ]);

    const journal = await fetch(`${server.url}/journal`);
    expect(await journal.json()).toHaveLength(1);
    await fetch(`${server.url}/journal`, { method: 'DELETE' });
    expect(server.journal.entries).toEqual([]);
  });

  test('answers with the status and headers that were asked for', async ({ server }) => {
    expect((await fetch(`${server.url}/status/418`)).status).toBe(418);
    const response = await fetch(
      `${server.url}/answer?status=503&header=Retry-After:+2&type=text/plain&body=wait`,
    );
    expect([response.status, response.headers.get('Retry-After'), await response.text()]).toEqual([
      503,
      '2',
      'wait',
    ]);
    expect((await fetch(`${server.url}/empty`)).status).toBe(204);
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${server.url}/redirect?to=/text`)).url).toBe(`${server.url}/text`);
  });

  for (const [path, condition, validator] of [
    ['/etag', 'If-None-Match', 'ETag'],
    ['/last-modified', 'If-Modified-Since', 'Last-Modified'],
  ] as const) {
    test(`${path} says 304 until its document changes`, async ({ server }) => {
      const ask = (value: string): Promise<Response> =>
        fetch(server.url + path, { headers: { [condition]: value } });
      const first = await fetch(server.url + path);
      const seen = first.headers.get(validator) ?? '';
      expect(await first.json()).toEqual({ version: 1 });
      expect((await ask(seen)).status).toBe(304);
      await fetch(server.url + path, { method: 'POST' });
      expect(await (await ask(seen)).json()).toEqual({ version: 2 });
    });
  }

  test('drips its bytes one after the other', async ({ server }) => {
    const response = await fetch(`${server.url}/drip?bytes=1000&ms=100`);
    let chunks = 0;
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      chunks += 1;
      bytes += chunk.length;
    }
    expect(bytes).toBe(1000);
    expect(chunks).toBeGreaterThan(3);
  });

  test('cuts a body short', async ({ server }) => {
    const response = await fetch(`${server.url}/cut`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    await expect.poll(() => server.journal.of('/cut')).toMatchObject([{ state: 'cut' }]);
  });

  test('holds a request until it is released', async ({ server }) => {
    const held = fetch(`${server.url}/hold?key=a`);
    await expect.poll(() => server.journal.open('/hold')).toHaveLength(1);
    const release = await fetch(`${server.url}/release?key=a`, { method: 'POST', body: '{"n":1}' });
    expect(await release.json()).toEqual({ released: 1 });
    expect(await (await held).json()).toEqual({ n: 1 });
  });

  test('answers as a test tells it to, until told otherwise', async ({ server }) => {
    const restore = server.on('GET /photo/1', ({ response }) => void response.writeHead(202).end());
    expect((await fetch(`${server.url}/photo/1`)).status).toBe(202);
    restore();
    expect((await fetch(`${server.url}/photo/1`)).status).toBe(200);
  });

  test('goes down and comes back on the same port', async ({ server }) => {
    const { url } = server;
    await server.down();
    await expect(fetch(`${url}/text`)).rejects.toThrow('fetch failed');
    await server.up();
    expect((await fetch(`${url}/text`)).status).toBe(200);
  });
});

test.describe('the browser', () => {
  test('reaches another origin', async ({ context, server, elsewhere }) => {
    const page = await bare(context.newPage(), server.url);
    const status = await page.evaluate(async (url) => {
      const response = await fetch(`${url}/echo`, {
        method: 'PUT',
        headers: { 'X-One': '1' },
        credentials: 'include',
      });
      return response.status;
    }, elsewhere.url);
    expect(status).toBe(200);
    expect(elsewhere.journal.of('/echo')).toMatchObject([{ method: 'PUT' }]);
  });

  test('loses its worker when told to, and has a new one afterwards', async ({
    context,
    server,
    stopWorkers,
  }) => {
    const page = await bare(context.newPage(), server.url);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/bare-worker.js');
      await navigator.serviceWorker.ready;
    });
    const before = await instanceOf(page);
    expect(await instanceOf(page)).toBe(before);
    await stopWorkers();
    expect(await instanceOf(page)).not.toBe(before);
  });

  test('tells what a page did not catch', async ({ context, server, uncaught }) => {
    const page = await bare(context.newPage(), server.url);
    await page.evaluate(() => void setTimeout(() => void Promise.reject(new Error('on purpose'))));
    await expect.poll(() => uncaught).toEqual(['Error: on purpose']);
    uncaught.length = 0;
  });
});

async function bare(opened: Promise<Page>, origin: string): Promise<Page> {
  const page = await opened;
  await page.goto(`${origin}/bare.html`);
  return page;
}

async function instanceOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    return new Promise<string>((resolve) => {
      navigator.serviceWorker.addEventListener('message', ({ data }) => resolve(String(data)), {
        once: true,
      });
      navigator.serviceWorker.startMessages();
      active?.postMessage('who', []);
    });
  });
}
