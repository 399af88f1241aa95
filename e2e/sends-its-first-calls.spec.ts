import { EventEmitter, once } from 'node:events';
import type { BrowserContext, Page } from '@playwright/test';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** A first visit whose worker is fetched only when `release` is called. */
interface FirstVisit {
  readonly page: Page;
  readonly release: () => void;
}

async function visit(context: BrowserContext, server: FixtureServer): Promise<FirstVisit> {
  const released = new EventEmitter();
  const release = once(released, 'released');
  server.rewrite('/service-worker.js', async (script) => {
    await release;
    return script;
  });
  const page = await context.newPage();
  await page.goto(server.url);
  return { page, release: () => released.emit('released') };
}

declare global {
  interface Window {
    /** What a call was answered that the test waits for later. */
    answered: Promise<unknown>;
  }
}

test.describe('a first visit', () => {
  test('is answered before there is a worker, which then serves what is fresh without asking', async ({
    context,
    server,
  }) => {
    server.on('GET /fresh', ({ response }) => {
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=600' };
      response.writeHead(200, headers).end('{"a":1}');
    });
    const { page, release } = await visit(context, server);
    const early = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js' });
      const thing = new Resource({ get: { method: 'GET', url: '/fresh' } });
      const heard = window.witness.record(thing, 'getStarted', 'getSent', 'getSuccess');
      const answer = await thing.result(thing.get());
      return { answer, host: connection.host, types: heard.map(({ type }) => type) };
    });
    expect(early).toEqual({ answer: { a: 1 }, host: null, types: ['getStarted', 'getSent', 'getSuccess'] });
    release();
    const late = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js' });
      await connection.ready;
      const thing = new Resource({ get: { method: 'GET', url: '/fresh' } });
      const answer = await thing.result(thing.get());
      return { answer, host: connection.host };
    });
    expect(late).toEqual({ answer: { a: 1 }, host: 'service-worker' });
    expect(server.journal.of('/fresh')).toHaveLength(1);
  });

  test('has a poll asked for once, and goes on with it in the worker', async ({ context, server }) => {
    const { page, release } = await visit(context, server);
    await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      connect({ serviceWorker: '/service-worker.js' });
      const photo = new Resource({ get: { method: 'GET', url: '/photo/polled' } });
      const ticked = new Promise((resolve) => photo.addListener('getSuccess', resolve));
      photo.poll('get', {}, { interval: 2_000 });
      await ticked;
    });
    expect(server.journal.of('/photo/polled')).toHaveLength(1);
    release();
    await expect.poll(() => server.journal.of('/photo/polled').length).toBeGreaterThan(1);
    const [first, second] = server.journal.of('/photo/polled');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
  });

  test('sends a write once, though the page is closed before it is answered', async ({ context, server }) => {
    const { page } = await visit(context, server);
    await page.evaluate(() => {
      const { connect, Resource } = window.offstage;
      connect({ serviceWorker: '/service-worker.js' });
      const photo = new Resource({ add: { method: 'POST', url: '/slow?ms=600' } });
      photo.add({}, { title: 'Lake' });
    });
    await expect.poll(() => server.journal.of('/slow')).toHaveLength(1);
    await page.close();
    await expect.poll(() => server.journal.of('/slow').map(({ state }) => state)).toEqual(['answered']);
    expect(server.journal.of('/slow').map(({ body }) => body)).toEqual(['title=Lake']);
  });

  test('sends several writes at once, of more bytes than browsers send on for a page', async ({
    context,
    server,
  }) => {
    const { page } = await visit(context, server);
    const ends = await page.evaluate(() => {
      const { connect, Resource } = window.offstage;
      connect({ serviceWorker: '/service-worker.js' });
      const photo = new Resource({ add: { method: 'POST', url: '/slow?ms=300' } });
      // Of ASCII letters, whose bytes the page counts as three each: a lone one is small enough.
      const title = 'x'.repeat(10_000);
      const adds = Array.from({ length: 8 }, () => photo.result(photo.add({}, { title })));
      return Promise.allSettled(adds).then((all) => all.map(({ status }) => status));
    });
    expect(ends).toEqual(Array.from({ length: 8 }, () => 'fulfilled'));
    expect(server.journal.of('/slow')).toHaveLength(8);
  });

  test('waits for the worker where the app wants that', async ({ context, server }) => {
    const { page, release } = await visit(context, server);
    await page.evaluate(() => {
      const { connect, Resource } = window.offstage;
      connect({ serviceWorker: '/service-worker.js', firstVisit: 'worker' });
      const photo = new Resource({ get: { method: 'GET', url: '/photo/1' } });
      window.answered = photo.result(photo.get());
    });
    await page.waitForTimeout(500);
    expect(server.journal.of('/photo/1')).toEqual([]);
    release();
    expect(await page.evaluate(() => window.answered)).toMatchObject({ url: '/photo/1' });
  });

  test('is no first visit where something is stored, though its worker is gone', async ({
    page,
    context,
    server,
  }) => {
    await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const photo = new Resource({ get: { method: 'GET', url: '/photo/1' } });
      await photo.result(photo.get());
      const registration = await navigator.serviceWorker.ready;
      await registration.unregister();
    });
    await page.close();
    server.journal.clear();
    const { page: next, release } = await visit(context, server);
    await next.evaluate(() => {
      const { connect, Resource } = window.offstage;
      connect({ serviceWorker: '/service-worker.js' });
      const photo = new Resource({ get: { method: 'GET', url: '/photo/2' } });
      window.answered = photo.result(photo.get());
    });
    await next.waitForTimeout(500);
    expect(server.journal.of('/photo/2')).toEqual([]);
    release();
    expect(await next.evaluate(() => window.answered)).toMatchObject({ url: '/photo/2' });
  });
});
