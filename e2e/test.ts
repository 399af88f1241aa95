import {
  test as base,
  expect,
  type BrowserContext,
  type CDPSession,
  type Page,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import { FixtureServer } from './server/fixture-server.ts';

/** What every end-to-end test gets beside Playwright's own. `page` is open and connected. */
export interface Harness {
  /** The name of this machine in the servers' addresses. */
  readonly host: string;
  /** A server of the test's own; its `journal` tells what it was asked. */
  readonly server: FixtureServer;
  /** A second one, which is another origin to the page. */
  readonly elsewhere: FixtureServer;
  /** Opens a further tab of the same browser, connected like `page`. */
  readonly openTab: () => Promise<Page>;
  /** Ends the service worker as the browser may at any time; resolves once it has stopped. */
  readonly stopWorkers: () => Promise<void>;
  /** What the pages of the test threw and did not catch. The test fails where it leaves any. */
  readonly uncaught: string[];
}

type Args = PlaywrightTestArgs & PlaywrightTestOptions & Harness;

export const test: TestType<Args, PlaywrightWorkerArgs & PlaywrightWorkerOptions> = base.extend<Harness>({
  host: ['127.0.0.1', { option: true }],
  server: async ({ host }, use) => withServer(host, use),
  elsewhere: async ({ host }, use) => withServer(host, use),
  baseURL: async ({ server }, use) => use(server.url),

  uncaught: [
    async ({ context }, use) => {
      const errors: string[] = [];
      context.on('weberror', (event) => errors.push(String(event.error())));
      await use(errors);
      expect(errors, 'errors that a page threw and did not catch').toEqual([]);
    },
    { auto: true },
  ],

  page: async ({ page }, use) => {
    await open(page);
    await use(page);
  },

  openTab: async ({ context }, use) => {
    await use(async () => {
      const tab = await context.newPage();
      await open(tab);
      return tab;
    });
  },

  stopWorkers: async ({ context }, use) => use(() => stopWorkers(context)),
});

export { expect };

async function withServer(host: string, use: (server: FixtureServer) => Promise<void>): Promise<void> {
  const server = new FixtureServer(host);
  await server.up();
  await use(server);
  await server.down();
}

/** Opens the test page and waits until its worker answers. */
async function open(page: Page): Promise<void> {
  await page.goto('/');
  await page.evaluate(async () => {
    await window.offstage.connect({ serviceWorker: '/service-worker.js' }).ready;
  });
}

/** Stops the workers as a browser does that needs the memory. */
export async function stopWorkers(context: BrowserContext): Promise<void> {
  const [page] = context.pages();
  if (!page) throw new Error('No page is open: its worker cannot be reached.');
  const devtools = await context.newCDPSession(page);
  const running = new Set<string>();
  const known = nextChange(devtools, ({ versions }) => {
    for (const each of versions) if (each.runningStatus !== 'stopped') running.add(each.versionId);
    return versions.length > 0;
  });
  await devtools.send('ServiceWorker.enable');
  await known;

  // A page notices at once and wakes its worker again: what counts is that each has been stopped since.
  const stopped = nextChange(devtools, ({ versions }) => {
    for (const each of versions) if (each.runningStatus === 'stopped') running.delete(each.versionId);
    return running.size === 0;
  });
  if (running.size > 0) {
    await devtools.send('ServiceWorker.stopAllWorkers');
    await stopped;
  }
  await devtools.detach();
}

/** Resolves at the first change of the workers' states that is the one waited for. */
function nextChange(devtools: CDPSession, isIt: (change: WorkerStates) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listen = (change: WorkerStates): void => {
      if (!isIt(change)) return;
      devtools.off('ServiceWorker.workerVersionUpdated', listen);
      resolve();
    };
    devtools.on('ServiceWorker.workerVersionUpdated', listen);
  });
}

interface WorkerStates {
  readonly versions: readonly { readonly versionId: string; readonly runningStatus: string }[];
}
