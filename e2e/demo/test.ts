import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test as base } from '@playwright/test';
import type {
  Page,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';

/**
 * The built demo and its real server, over a database in memory: one for all tests of a worker process. What it serves
 * lies in a folder of its own, where a test may put a newer version.
 */
interface DemoServer {
  readonly demo: { readonly url: string; readonly folder: string };
}

interface Witness {
  /** What the pages of the test threw and did not catch. The test fails where it leaves any. */
  readonly errors: string[];
}

type TestArgs = PlaywrightTestArgs & PlaywrightTestOptions & Witness;
type WorkerArgs = PlaywrightWorkerArgs & PlaywrightWorkerOptions & DemoServer;

export const test: TestType<TestArgs, WorkerArgs> = base.extend<Witness, DemoServer>({
  demo: [
    async ({ browserName }, use) => {
      expect(browserName).toBe('chromium');
      const folder = await mkdtemp(join(tmpdir(), 'offstage-demo-'));
      await cp('.cache/demo', folder, { recursive: true });
      await withServer(folder, (url) => use({ url, folder }));
      await rm(folder, { recursive: true });
    },
    // Its database takes a moment, which is not the first test's.
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ demo }, use) => use(demo.url),
  errors: [
    async ({ context }, use) => {
      const errors: string[] = [];
      context.on('weberror', (event) => errors.push(String(event.error())));
      await use(errors);
      expect(errors, 'errors that a page threw and did not catch').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Milliseconds within which a worker is installed and has answered, on a machine with other work to do. */
const STARTING = 20_000;

export async function isLive(page: Page): Promise<void> {
  await expect(page.locator('#freshness')).toHaveAttribute('data-state', 'live', { timeout: STARTING });
}

export type Name = 'Mira Solberg' | 'Jonas Vale';

/** Opens the demo as whoever is signed in, as Mira where nobody is. It is ready when its list has come from the server and its worker is its own. */
export async function openDemo(page: Page): Promise<void> {
  await page.goto('/');
  const body = page.locator('body');
  await expect(body).toHaveAttribute('data-account', /nobody|signed-in/, { timeout: STARTING });
  if ((await body.getAttribute('data-account')) === 'nobody') await choose(page, 'Mira Solberg');
  await isLive(page);
  await expect(page.locator('#wall .frame')).not.toHaveCount(0);
  await page.evaluate(async () => {
    const { controller } = navigator.serviceWorker;
    if (controller) return;
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
  });
}

/** Picks somebody in the dialog that is open. */
export async function choose(page: Page, name: Name): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name }).click();
}

/** Signs in as somebody else, from the header. */
export async function switchTo(page: Page, name: Name): Promise<void> {
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await choose(page, name);
}

/** When the poll was last answered, and whether that changed anything, as the Pulse panel says it. */
export async function lastAnswer(page: Page): Promise<string> {
  return page.locator('#pulse [data-field=last]').innerText();
}

/** Serves the app that is built in a folder, over a database of its own, for as long as it is used. */
async function withServer(folder: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = startServer(folder);
  try {
    await use(await addressOf(server));
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
  }
}

function startServer(folder: string): ChildProcess {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return spawn(
    process.execPath,
    ['.cache/demo-server/main.js', '--port', '0', '--memory', '--static', folder],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
}

async function addressOf(server: ChildProcess): Promise<string> {
  const [line]: unknown[] = await once(server.stdout ?? server, 'data');
  return String(line).trim();
}
