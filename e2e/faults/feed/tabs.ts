import { until } from '../until.ts';
import type { Listeners } from './listeners.ts';
import type { MortalBrowser, MortalTab } from '../mortal/mortal-browser.ts';

/** The tab that follows all the time, from life to life. */
export const MAIN = 'main';

/** A second one, which comes and goes. */
const NEIGHBOUR = 'neighbour';

/** Milliseconds that a page has to begin. */
const START_LIMIT = 60_000;

/** What is done to the browser and to its tabs; each resolves once the main tab follows the changes again. */
export class Tabs {
  readonly #browser: MortalBrowser;
  readonly #listeners: Listeners;
  readonly #url: (tab: string) => string;
  #main: MortalTab | null = null;
  #neighbour: MortalTab | null = null;

  constructor(browser: MortalBrowser, listeners: Listeners, url: (tab: string) => string) {
    this.#browser = browser;
    this.#listeners = listeners;
    this.#url = url;
  }

  get hasNeighbour(): boolean {
    return this.#neighbour !== null;
  }

  async begin(): Promise<void> {
    this.#main = await this.#open(MAIN);
  }

  stop(): Promise<boolean> {
    return this.#browser.stopWorker();
  }

  async kill(): Promise<boolean> {
    await this.#browser.kill();
    return this.#beginAnew();
  }

  async crash(): Promise<boolean> {
    await this.#browser.crash();
    return this.#beginAnew();
  }

  async reload(): Promise<boolean> {
    await this.#begins(MAIN, async () => this.#main?.reload());
    return true;
  }

  /** The second tab comes, or goes. */
  async neighbour(): Promise<boolean> {
    const there = this.#neighbour;
    this.#neighbour = null;
    if (there) await there.close();
    else this.#neighbour = await this.#open(NEIGHBOUR);
    return true;
  }

  async #beginAnew(): Promise<boolean> {
    this.#neighbour = null;
    await this.begin();
    return true;
  }

  #open(tab: string): Promise<MortalTab> {
    return this.#begins(tab, () => this.#browser.open(this.#url(tab)));
  }

  /** Resolves once the tab has begun another life. */
  async #begins<T>(tab: string, act: () => Promise<T>): Promise<T> {
    const lives = this.#listeners.of(tab).length;
    const result = await act();
    await until(`the tab ${tab} begins`, () => this.#listeners.of(tab).length > lives, START_LIMIT);
    return result;
  }
}
