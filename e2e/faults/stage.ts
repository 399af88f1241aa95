import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { FixtureServer } from '../server/fixture-server.ts';
import type { Bench } from './row.ts';

/** A name of this machine that no browser trusts over plain http, other than its address. */
export const UNTRUSTED = 'offstage.test';

/** A server and a browser of a row's own, with pages that are connected to the library's worker. */
export class Stage {
  readonly server: FixtureServer;
  readonly context: BrowserContext;

  private constructor(server: FixtureServer, context: BrowserContext) {
    this.server = server;
    this.context = context;
  }

  /** Opens one, has it used, and closes it however that went. `without`: flags of Playwright's to leave out. */
  static async use<T>(bench: Bench, work: (stage: Stage) => Promise<T>, without: string[] = []): Promise<T> {
    const server = new FixtureServer('127.0.0.1');
    await server.up();
    const browser = await chromium.launch({
      executablePath: bench.chromium,
      args: [`--host-resolver-rules=MAP ${UNTRUSTED} 127.0.0.1`],
      ignoreDefaultArgs: without,
    });
    try {
      return await work(new Stage(server, await browser.newContext({ baseURL: server.url })));
    } finally {
      await browser.close();
      await server.down();
    }
  }

  async openTab(path = '/'): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(path);
    await connect(page);
    return page;
  }
}

/** Resolves once the page's worker has answered. */
export async function connect(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await window.offstage.connect({ serviceWorker: '/service-worker.js' }).ready;
  });
}
