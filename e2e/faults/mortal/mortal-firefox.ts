import { setTimeout as sleep } from 'node:timers/promises';
import { PREFERENCES, startFirefox, type Running } from '../../engines/firefox.ts';
import { forgetProfile, makeProfile } from '../../engines/profile.ts';
import { killIfThere, scriptOf, type MortalBrowser, type MortalTab } from './mortal-browser.ts';

/** Nothing is asked, and no tab opened, because it has not been ended as it should. */
const FORGIVING = {
  // Else the server of this machine is there for one that is offline.
  'network.disable-localhost-when-offline': true,
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
};

/** Firefox's own. */
const USER_LIFETIMES = {
  'dom.serviceWorkers.idle_timeout': 30_000,
  'dom.serviceWorkers.idle_extended_timeout': 30_000,
};

/** Lets Marionette run scripts in the browser itself, which alone can tell its processes. */
const FLAGS = ['--remote-allow-system-access'];

/** Comes before each command that concerns a page: another may have been for the browser. */
const IN_PAGES = ['Marionette:SetContext', { value: 'content' }] as const;

/** The processes of pages of sites; the empty tab has another. */
const PAGES = 'webIsolated';

/** Those of their workers, which share none with a page. */
const WORKERS = 'webServiceWorker';

/** Resolves to the process ids of those types. */
const PROCESSES = `
  const [types, done] = arguments;
  ChromeUtils.requestProcInfo().then(({ children }) =>
    done(children.filter(({ type }) => types.includes(type)).map(({ pid }) => pid)),
  );
`;

/** Without a network Firefox keeps its idle connections to this machine, and would send over them. */
const OFFLINE = `
  const [isOffline, done] = arguments;
  Services.io.offline = isOffline;
  if (isOffline) Services.obs.notifyObservers(null, 'net:prune-all-connections');
  done();
`;

/** A stock Firefox over Marionette. */
export class MortalFirefox implements MortalBrowser {
  readonly #command: string;
  readonly profile: string;
  #running: Running | null = null;
  #tabs: string[] = [];

  private constructor(command: string, profile: string) {
    this.#command = command;
    this.profile = profile;
  }

  /** Its workers die of idleness every few seconds; `userLifetimes`: as late as those of users. */
  static async at(command: string, userLifetimes = false): Promise<MortalFirefox> {
    const lifetimes = userLifetimes ? USER_LIFETIMES : {};
    return new MortalFirefox(command, await makeProfile({ ...PREFERENCES, ...lifetimes, ...FORGIVING }));
  }

  async open(url: string): Promise<MortalTab> {
    const { marionette, home } = (this.#running ??= await startFirefox(this.#command, this.profile, FLAGS));
    const opened = await marionette.send(
      IN_PAGES,
      ['WebDriver:SwitchToWindow', { handle: home }],
      ['WebDriver:NewWindow', { type: 'tab' }],
    );
    const handle = String(Object(opened).handle);
    this.#tabs.push(handle);
    const inTab = [IN_PAGES, ['WebDriver:SwitchToWindow', { handle }]] as const;
    await marionette.send(...inTab, ['WebDriver:Navigate', { url }]);
    return {
      reload: async () => void (await marionette.send(...inTab, ['WebDriver:Refresh'])),
      close: () => this.#close(handle),
      evaluate: async (script: (given: never) => unknown, given?: unknown) => {
        const code = `return ${scriptOf(script, given)}`;
        return Object(
          await marionette.send(...inTab, ['WebDriver:ExecuteScript', { script: code, args: [] }]),
        ).value;
      },
    };
  }

  async setOffline(isOffline: boolean): Promise<void> {
    await this.#inBrowser(OFFLINE, isOffline);
  }

  async leaveAlone(milliseconds: number): Promise<void> {
    await sleep(milliseconds);
  }

  async stopWorker(): Promise<boolean> {
    return (await this.#killProcesses(WORKERS)) > 0;
  }

  async crash(): Promise<void> {
    await this.#killProcesses(PAGES, WORKERS);
    for (const handle of this.#tabs) await this.#close(handle);
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#tabs = [];
    running?.marionette.close();
    await running?.program.kill();
  }

  async end(): Promise<void> {
    await this.kill();
    await forgetProfile(this.profile);
  }

  async #close(handle: string): Promise<void> {
    this.#tabs = this.#tabs.filter((each) => each !== handle);
    await this.#running?.marionette.send(
      IN_PAGES,
      ['WebDriver:SwitchToWindow', { handle }],
      ['WebDriver:CloseWindow'],
    );
  }

  /** Resolves to how many there were. */
  async #killProcesses(...types: readonly string[]): Promise<number> {
    if (!this.#running) return 0;
    const pids: unknown[] = Object(await this.#inBrowser(PROCESSES, types)).value;
    for (const pid of pids) killIfThere(Number(pid));
    return pids.length;
  }

  /** Runs a script in the browser itself: its last argument is the function that ends it. */
  async #inBrowser(script: string, ...args: readonly unknown[]): Promise<unknown> {
    if (!this.#running) throw new Error('Firefox does not run');
    const { marionette, home } = this.#running;
    return marionette.send(
      IN_PAGES,
      ['WebDriver:SwitchToWindow', { handle: home }],
      ['Marionette:SetContext', { value: 'chrome' }],
      ['WebDriver:ExecuteAsyncScript', { script, args }],
    );
  }
}
