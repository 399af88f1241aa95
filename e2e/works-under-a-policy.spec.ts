import { readFile } from 'node:fs/promises';
import type { Page, Worker } from '@playwright/test';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** As docs/guide/your-own-worker.md recommends it. */
const POLICY = "default-src 'none'; connect-src 'self'; script-src 'self'";
const SCRIPT = '/strict/service-worker.js';

/** Serves the ready-made worker once more, with a Content-Security-Policy or without. */
async function serveWorker(server: FixtureServer, policy: string | null): Promise<void> {
  const body = await readFile(new URL('../dist/service-worker.js', import.meta.url));
  server.on(`GET ${SCRIPT}`, ({ response }) => {
    if (policy !== null) response.setHeader('Content-Security-Policy', policy);
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(body);
  });
}

async function start(page: Page): Promise<Worker> {
  await page.evaluate(async (serviceWorker) => {
    await window.offstage.connect({ serviceWorker }).ready;
  }, SCRIPT);
  const worker = page
    .context()
    .serviceWorkers()
    .find((each) => each.url().endsWith(SCRIPT));
  if (!worker) throw new Error('The worker does not run');
  return worker;
}

/** What becomes of each way to make code of text. */
function evaluations(worker: Worker): Promise<string[]> {
  return worker.evaluate(evaluateText);
}

/** Runs in the worker, a turn later: what the debugger itself runs is exempt from the policy. */
function evaluateText(): Promise<string[]> {
  const asynchronous: unknown = Reflect.get(async () => {}, 'constructor');
  const ways = [Reflect.get(globalThis, 'eval'), Reflect.get(globalThis, 'Function'), asynchronous];
  return new Promise((resolve) => {
    setTimeout(
      () =>
        resolve(
          ways.map((compile) => {
            try {
              return typeof compile === 'function'
                ? `made ${String(compile('1'))}`.slice(0, 6)
                : 'no function';
            } catch (error) {
              return error instanceof Error ? error.name : String(error);
            }
          }),
        ),
      0,
    );
  });
}

test.describe('the ready-made worker under the recommended policy', () => {
  test('makes no code of text', async ({ page, server }) => {
    await serveWorker(server, POLICY);
    expect(await evaluations(await start(page))).toEqual(['EvalError', 'EvalError', 'EvalError']);
  });

  test('would without it', async ({ page, server }) => {
    await serveWorker(server, null);
    expect(await evaluations(await start(page))).toEqual(['made 1', 'made f', 'made a']);
  });

  test('answers calls and loops, stores, and survives its death', async ({ page, server, stopWorkers }) => {
    await serveWorker(server, POLICY);
    await start(page);
    const outcome = await page.evaluateHandle(async (serviceWorker) => {
      const connection = window.offstage.connect({ serviceWorker, timeout: 10_000 });
      const photo = new window.offstage.Resource(
        {
          get: { method: 'GET', url: '/photo/{id}' },
          post: { method: 'POST', url: '/echo' },
          live: { method: 'GET', url: '/etag' },
        },
        { connection },
      );
      const heard = window.witness.record(photo, 'liveSuccess', 'error');
      const answers = [
        await photo.result(photo.get({ id: 1 })),
        await photo.result(photo.post({}, { a: 1 })),
      ];
      photo.poll('live', {}, { interval: 200 });
      return { photo, heard, answers, cache: (await connection.inspect()).cache };
    }, SCRIPT);
    const { answers, cache } = await outcome.evaluate((each) => ({
      answers: each.answers,
      cache: each.cache,
    }));
    expect(answers).toMatchObject([{ url: '/photo/1' }, { method: 'POST' }]);
    expect(cache).toMatchObject({ mode: 'indexeddb', entries: 1 });
    await stopWorkers();
    const ticks = await outcome.evaluate(({ heard }) => heard.length);
    await expect.poll(() => outcome.evaluate(({ heard }) => heard.length)).toBeGreaterThan(ticks + 1);
    await server.down();
    const stale = outcome.evaluate(({ photo }) => photo.result(photo.get({ id: 1 })));
    expect(await stale).toMatchObject({ url: '/photo/1' });
  });

  test('reaches no origin that it does not name', async ({ page, server, elsewhere }) => {
    await serveWorker(server, POLICY);
    await start(page);
    const ending = await page.evaluate(
      ([serviceWorker, origin]) => {
        const connection = window.offstage.connect({ serviceWorker, origins: [origin] });
        const photo = new window.offstage.Resource(
          { get: { method: 'GET', url: `${origin}/photo/1` } },
          { connection },
        );
        return window.witness.ending(photo.result(photo.get()));
      },
      [SCRIPT, elsewhere.url] as const,
    );
    expect(ending).toMatchObject({ code: 'network' });
    expect(elsewhere.journal.entries).toEqual([]);
  });
});
