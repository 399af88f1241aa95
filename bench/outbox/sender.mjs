// What sends the writes of a page, and how it is stopped and started: the page's service worker, or the page itself.

import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds within which it stops or starts. */
const LIMIT = 20_000;

export class Sender {
  #page;
  #library;
  #url;
  #stops = 0;
  /** @type {string | null} */
  #registrationId = null;
  #isRunning = false;

  /**
   * @param {import('../browser.mjs').Browser} browser
   * @param {import('../browser.mjs').Page} page
   * @param {import('../peers.mjs').Queueing} library
   * @param {string} url Origin of the page.
   */
  constructor(browser, page, library, url) {
    this.#page = page;
    this.#library = library;
    this.#url = url;
    browser.listen(({ method, params }) => {
      if (method === 'ServiceWorker.workerRegistrationUpdated') this.#noteRegistrations(params.registrations);
      if (method === 'ServiceWorker.workerVersionUpdated') this.#noteVersions(params.versions);
    });
  }

  async start() {
    await this.#page.send('ServiceWorker.enable');
    await this.#page.evaluate('bench.prepare()');
  }

  /** The server is there again: each library is told in the way that it listens to. */
  async resume() {
    if (this.#library.sender === 'sync') await this.#sync();
    else await this.#page.evaluate('bench.online()');
  }

  /**
   * A library whose sync event has failed waits some minutes for the next, which the browser sends. Here it comes now.
   *
   * @returns {Promise<boolean>} False where the library goes on by itself.
   */
  async nudge() {
    if (this.#library.sender !== 'sync') return false;
    await this.#sync();
    return true;
  }

  /**
   * Ends it in the middle of its work, and has it begin anew.
   *
   * @returns {Promise<boolean>} False where nothing ran.
   */
  async stop() {
    if (this.#library.sender === 'page') {
      await this.#reload();
      return true;
    }
    if (!this.#isRunning) return false;
    const before = this.#stops;
    await this.#page.send('ServiceWorker.stopAllWorkers');
    await until('The worker stops', () => this.#stops > before);
    await this.nudge();
    return true;
  }

  async #reload() {
    await this.#page.evaluate('void (bench.isOld = true)');
    await this.#page.send('Page.reload');
    const isNew = "typeof bench === 'object' && !bench.isOld";
    await until('The page loads', () => this.#page.evaluate(isNew).catch(() => false));
    await this.#page.evaluate('bench.prepare()');
  }

  async #sync() {
    await this.#page.send('ServiceWorker.dispatchSyncEvent', {
      origin: `${this.#url}/`,
      registrationId: this.#registrationId,
      tag: this.#library.tag,
      lastChance: false,
    });
  }

  /** @param {readonly { registrationId: string }[]} registrations */
  #noteRegistrations(registrations) {
    for (const { registrationId } of registrations) this.#registrationId = registrationId;
  }

  /** @param {readonly { runningStatus: string }[]} versions */
  #noteVersions(versions) {
    for (const { runningStatus } of versions) {
      this.#isRunning = runningStatus !== 'stopped';
      if (!this.#isRunning) this.#stops += 1;
    }
  }
}

/**
 * @param {string} what
 * @param {() => boolean | Promise<boolean>} isIt
 */
async function until(what, isIt) {
  const limit = performance.now() + LIMIT;
  while (!(await isIt())) {
    if (performance.now() > limit) throw new Error(`${what} not within ${LIMIT / 1_000} s.`);
    await sleep(5);
  }
}
