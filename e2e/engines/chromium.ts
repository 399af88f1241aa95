import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import type { Engine, EnginePage } from './engine.ts';
import type { Ability } from './scenario.ts';

/** Chromium over the DevTools protocol, which can stop its workers. */
export async function launchChromium(): Promise<Engine> {
  const executablePath = process.env['OFFSTAGE_CHROMIUM'];
  const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
  return new Chromium(browser, await browser.newContext());
}

class Chromium implements Engine {
  readonly name = 'chromium';
  readonly version: string;
  readonly abilities: ReadonlySet<Ability> = new Set<Ability>(['stop-worker', 'hard-reload']);
  readonly #browser: Browser;
  readonly #context: BrowserContext;

  constructor(browser: Browser, context: BrowserContext) {
    this.#browser = browser;
    this.#context = context;
    this.version = `Chromium ${browser.version()}`;
  }

  async open(url: string): Promise<EnginePage> {
    const page = await this.#context.newPage();
    await page.goto(url);
    return {
      reload: async () => void (await page.reload()),
      hardReload: () => this.#hardReload(page),
      close: () => page.close(),
    };
  }

  async prepareStop(): Promise<void> {}

  async stopWorker(): Promise<void> {
    const [page] = this.#context.pages();
    if (!page) throw new Error('No page is open: its worker cannot be reached.');
    const devtools = await this.#context.newCDPSession(page);
    await devtools.send('ServiceWorker.enable');
    await devtools.send('ServiceWorker.stopAllWorkers');
    await devtools.detach();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  async #hardReload(page: Page): Promise<void> {
    const devtools = await this.#context.newCDPSession(page);
    await devtools.send('Page.reload', { ignoreCache: true });
    await devtools.detach();
  }
}
