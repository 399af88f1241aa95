import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from '@playwright/test';
import { attempt, within } from '../../engines/patience.ts';
import { Program } from '../../engines/program.ts';
import { FLAGS } from '../bare-chromium.ts';
import { WorkerStops } from '../worker-stops.ts';
import { killIfThere, scriptOf, type MortalBrowser, type MortalTab } from './mortal-browser.ts';

const START_LIMIT = 30_000;
const STOP_LIMIT = 10_000;
const CRASH_LIMIT = 10_000;

/** Where in its profile Chromium says on which port it listens, and under which path. */
const PORT_FILE = 'DevToolsActivePort';

/** A Chromium started from the command line, to which the DevTools protocol is only added. */
export class MortalChromium implements MortalBrowser {
  readonly #command: string;
  readonly profile: string;
  #running: Running | null = null;

  private constructor(command: string, profile: string) {
    this.#command = command;
    this.profile = profile;
  }

  static async at(command: string): Promise<MortalChromium> {
    return new MortalChromium(command, await mkdtemp(join(tmpdir(), 'offstage-faults-')));
  }

  async open(url: string): Promise<MortalTab> {
    const { context } = (this.#running ??= await this.#start());
    const page = await newPage(context);
    await page.goto(url);
    return {
      reload: async () => void (await page.reload()),
      close: () => page.close(),
      evaluate: (script: (given: never) => unknown, given?: unknown) =>
        page.evaluate(scriptOf(script, given)),
    };
  }

  async setOffline(isOffline: boolean): Promise<void> {
    await this.#running?.context.setOffline(isOffline);
  }

  /** Nobody who listens to its workers may be connected. */
  async leaveAlone(milliseconds: number): Promise<void> {
    if (!this.#running) return;
    const { program, browser } = this.#running;
    await browser.close();
    await sleep(milliseconds);
    this.#running = await this.#connect(program);
  }

  /** The DevTools protocol of a tab of its own. */
  async devtools(): Promise<CDPSession> {
    const { context } = (this.#running ??= await this.#start());
    return context.newCDPSession(await newPage(context));
  }

  async stopWorker(): Promise<boolean> {
    if (!this.#running) return false;
    return (await within(STOP_LIMIT, 'The end of a worker', this.#running.stops.stop())) !== null;
  }

  async crash(): Promise<void> {
    if (!this.#running) return;
    const { browser, context } = this.#running;
    const devtools = await browser.newBrowserCDPSession();
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
    const crashed = context.pages().map((page) => new Promise((resolve) => page.once('crash', resolve)));
    for (const { type, id } of processInfo) if (type === 'renderer') killIfThere(id);
    await within(CRASH_LIMIT, 'The crash of all pages', Promise.all(crashed));
    const pages = context.pages();
    this.#running.stops = await stopsOf(context);
    for (const page of pages) await page.close();
    await devtools.detach();
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.program.kill();
    await running?.browser.close();
  }

  async end(): Promise<void> {
    await this.kill();
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async #start(): Promise<Running> {
    await rm(join(this.profile, PORT_FILE), { force: true });
    const flags = [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${this.profile}`, 'about:blank'];
    const program = new Program(this.#command, flags);
    try {
      return await this.#connect(program);
    } catch (error) {
      await program.kill();
      throw new Error(`Chromium did not start: ${program.output}`, { cause: error });
    }
  }

  async #connect(program: Program): Promise<Running> {
    const address = await attempt(START_LIMIT, 'The start of Chromium', () => this.#address());
    const browser = await chromium.connectOverCDP(address);
    const [context] = browser.contexts();
    if (!context) throw new Error('Chromium has no profile');
    return { program, browser, context, stops: await stopsOf(context) };
  }

  async #address(): Promise<string | null> {
    const text = await readFile(join(this.profile, PORT_FILE), 'utf8').catch(() => '');
    const [port, path] = text.split('\n');
    return path ? `ws://127.0.0.1:${port}${path}` : null;
  }
}

interface Running {
  readonly program: Program;
  readonly browser: Browser;
  readonly context: BrowserContext;
  /** Through an empty tab, which no fault but a crash concerns. */
  stops: WorkerStops;
}

async function stopsOf(context: BrowserContext): Promise<WorkerStops> {
  return WorkerStops.through(await newPage(context));
}

/** Chromium may take a process for it that it held ready, and that has just been killed. */
function newPage(context: BrowserContext): Promise<Page> {
  return attempt(START_LIMIT, 'Another tab', () => context.newPage());
}
