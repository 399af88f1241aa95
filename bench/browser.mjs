// A Chromium of its own for each measurement, driven over a bare pipe. The Network domain stays off: with it the renderer
// keeps a copy of every body. Other drivers (Playwright, Puppeteer) enable it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from './processes.mjs';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-sync',
  '--mute-audio',
  '--remote-debugging-pipe',
];

/** Milliseconds within which every command has to be answered; evaluations say their own. */
const LIMIT = 60_000;

/** Each browser that runs and its profile, so that a Ctrl-C takes both along. */
const running = new Map();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.on('exit', () => {
  for (const [child, profile] of running) {
    endGroup(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
});

/** @param {import('node:child_process').ChildProcess} child Leader of a process group of its own. */
function endGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * Starts a browser with an empty profile and ends it, with all that it made, when `use` has returned or thrown.
 *
 * @template T
 * @param {(browser: Browser) => Promise<T>} use
 * @returns {Promise<T>}
 */
export function withBrowser(use) {
  return withProfile((profile) => withBrowserOn(profile, use));
}

/**
 * Makes the folder of a profile, for browsers one after the other, and removes it in the end.
 *
 * @template T
 * @param {(profile: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withProfile(use) {
  const profile = await mkdtemp(join(tmpdir(), 'offstage-bench-'));
  try {
    return await use(profile);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/**
 * Starts a browser with that profile, and ends it when `use` has returned or thrown.
 *
 * @template T
 * @param {string} profile
 * @param {(browser: Browser) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withBrowserOn(profile, use) {
  const program = process.env['OFFSTAGE_CHROMIUM'];
  if (!program) throw new Error('OFFSTAGE_CHROMIUM is not set: setup({ browsers: true }) does it.');
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.set(child, profile);
  const ended = once(child, 'exit');
  const browser = new Browser(child);
  try {
    return await use(browser);
  } finally {
    browser.close();
    await Promise.race([ended, sleep(2_000)]);
    endGroup(child);
    running.delete(child);
  }
}

/** Chromium's DevTools protocol over a pipe: JSON, each message ended by a zero byte. */
export class Browser {
  #child;
  #out;
  #next = 1;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** @type {Set<(event: { method: string, params: any, sessionId?: string }) => void>} */
  #listeners = new Set();

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#child = child;
    const [, , , out, input] = child.stdio;
    if (!(out instanceof Writable) || !(input instanceof Readable))
      throw new Error('The browser has no pipe.');
    this.#out = out;
    let chunks = [];
    input.on('data', (chunk) => {
      let rest = chunk;
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.#receive(Buffer.concat([...chunks, rest.subarray(0, end)]).toString());
        chunks = [];
        rest = rest.subarray(end + 1);
      }
      if (rest.length > 0) chunks.push(rest);
    });
    for (const stream of [input, out]) stream.on('error', () => undefined);
    child.on('error', (error) => this.#fail(error));
    child.on('exit', () => this.#fail(new Error('The browser has ended.')));
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {{ sessionId?: string, limit?: number }} [options]
   * @returns {Promise<any>}
   */
  send(method, params = {}, { sessionId, limit = LIMIT } = {}) {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} was not answered within ${limit / 1_000} s.`));
      }, limit);
      const settle = (/** @type {(value: any) => void} */ by) => (/** @type {any} */ value) => {
        clearTimeout(timer);
        by(value);
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#out.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  /**
   * @param {(event: { method: string, params: any, sessionId?: string }) => void} listener
   * @returns {() => void} Ends it.
   */
  listen(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param {string} text */
  #receive(text) {
    const message = JSON.parse(text);
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const call = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
  }

  /** @param {Error} error */
  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  async version() {
    const { product } = await this.send('Browser.getVersion');
    return product;
  }

  /**
   * CPU seconds that the whole tree of its processes has used so far, or those of one kind.
   *
   * @param {string} [kind] See `cpuSeconds`.
   */
  cpu(kind) {
    return cpuSeconds(this.#child.pid ?? 0, kind);
  }

  /**
   * Opens a page and waits until its script has run.
   *
   * @param {string} url
   * @param {{ newWindow?: boolean, background?: boolean }} [how]
   */
  async open(url, how = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', ...how });
    const page = await this.#attach(targetId);
    await page.send('Performance.enable');
    await page.send('Page.navigate', { url });
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await page.evaluate("typeof bench === 'object'").catch(() => false)) === true) return page;
      await sleep(50);
    }
    throw new Error(`${url} did not start.`);
  }

  /** The service worker that runs, as something to ask for its heap; null where there is none. */
  async worker() {
    const { targetInfos } = await this.send('Target.getTargets');
    const found = targetInfos.find((/** @type {any} */ { type }) => type === 'service_worker');
    return found ? this.#attach(found.targetId) : null;
  }

  /** @param {string} targetId */
  async #attach(targetId) {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return new Page(this, targetId, sessionId);
  }

  /**
   * The longest task of a page's main thread while `during` goes on. Tracing costs something itself: what is traced is not
   * counted among the other figures.
   *
   * @param {Page} page
   * @param {() => Promise<unknown>} during
   * @returns {Promise<number>} Milliseconds.
   */
  async longestTask(page, during) {
    /** @type {any[]} */
    const events = [];
    const [complete, stop] = this.#tracing((some) => events.push(...some));
    const includedCategories = ['disabled-by-default-devtools.timeline', 'blink.user_timing'];
    await this.send('Tracing.start', { traceConfig: { includedCategories }, transferMode: 'ReportEvents' });
    await page.evaluate("void performance.mark('bench-begins')");
    await during();
    await this.send('Tracing.end');
    await Promise.race([complete, sleep(20_000)]);
    stop();
    const mark = events.find(({ name }) => name === 'bench-begins');
    if (!mark) throw new Error('The trace does not say which thread the page has.');
    const tasks = events.filter(
      ({ name, pid, tid, ts }) =>
        name.endsWith('RunTask') && pid === mark.pid && tid === mark.tid && ts > mark.ts,
    );
    if (tasks.length === 0) throw new Error('The trace has no tasks.');
    return Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1_000;
  }

  /**
   * @param {(events: any[]) => void} take
   * @returns {[complete: Promise<unknown>, stop: () => void]}
   */
  #tracing(take) {
    let stop = null;
    const complete = new Promise((resolve) => {
      stop = this.listen(({ method, params }) => {
        if (method === 'Tracing.dataCollected') take(params.value);
        if (method === 'Tracing.tracingComplete') resolve(null);
      });
    });
    return [complete, () => stop?.()];
  }

  close() {
    this.send('Browser.close').catch(() => undefined);
  }
}

/** A page, or another target that runs script. */
export class Page {
  #browser;
  #targetId;
  #sessionId;

  /**
   * @param {Browser} browser
   * @param {string} targetId
   * @param {string} sessionId
   */
  constructor(browser, targetId, sessionId) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {number} [limit]
   */
  send(method, params, limit) {
    return this.#browser.send(method, params, { sessionId: this.#sessionId, ...(limit && { limit }) });
  }

  /**
   * What an expression, or the promise that it makes, comes to.
   *
   * @param {string} expression
   * @param {number} [limit] Milliseconds.
   */
  async evaluate(expression, limit) {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', params, limit);
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /**
   * Milliseconds of the main thread so far: those that its tasks took, and those of them that it had a core. Where other
   * programs want the cores too, the first grows and the second hardly does.
   *
   * @returns {Promise<{ busy: number, cpu: number }>}
   */
  async spent() {
    const { metrics } = await this.send('Performance.getMetrics');
    const seconds = Object.fromEntries(metrics.map((/** @type {any} */ { name, value }) => [name, value]));
    return { busy: seconds['TaskDuration'] * 1_000, cpu: seconds['ThreadTime'] * 1_000 };
  }

  /** Bytes of its heap that are in use after a collection. */
  async heap() {
    for (let times = 0; times < 2; times += 1) await this.send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = await this.send('Runtime.getHeapUsage');
    return usedSize + backingStorageSize;
  }

  close() {
    return this.#browser.send('Target.closeTarget', { targetId: this.#targetId });
  }

  activate() {
    return this.#browser.send('Target.activateTarget', { targetId: this.#targetId });
  }
}
