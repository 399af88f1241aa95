import { PREFERENCES, startFirefox, type Running } from '../../engines/firefox.ts';
import { forgetProfile, makeProfile } from '../../engines/profile.ts';
import { killIfThere, type MortalBrowser, type MortalTab } from './mortal.ts';

/** Nothing is asked, and no tab opened, because it has not been ended as it should. */
const FORGIVING = {
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
};

/** Lets Marionette run scripts in the browser itself, which alone can tell its processes. */
const FLAGS = ['--remote-allow-system-access'];

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

/** A stock Firefox over Marionette, whose workers also die of idleness every few seconds. */
export class MortalFirefox implements MortalBrowser {
  readonly #command: string;
  readonly #profile: string;
  #running: Running | null = null;
  #tabs: string[] = [];

  private constructor(command: string, profile: string) {
    this.#command = command;
    this.#profile = profile;
  }

  static async at(command: string): Promise<MortalFirefox> {
    return new MortalFirefox(command, await makeProfile({ ...PREFERENCES, ...FORGIVING }));
  }

  async open(url: string): Promise<MortalTab> {
    const { marionette, home } = (this.#running ??= await startFirefox(this.#command, this.#profile, FLAGS));
    const opened = await marionette.send(
      ['WebDriver:SwitchToWindow', { handle: home }],
      ['WebDriver:NewWindow', { type: 'tab' }],
    );
    const handle = String(Object(opened).handle);
    this.#tabs.push(handle);
    const inTab = ['WebDriver:SwitchToWindow', { handle }] as const;
    await marionette.send(inTab, ['WebDriver:Navigate', { url }]);
    return {
      reload: async () => void (await marionette.send(inTab, ['WebDriver:Refresh'])),
      close: () => this.#close(handle),
    };
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
    await forgetProfile(this.#profile);
  }

  async #close(handle: string): Promise<void> {
    this.#tabs = this.#tabs.filter((each) => each !== handle);
    await this.#running?.marionette.send(['WebDriver:SwitchToWindow', { handle }], ['WebDriver:CloseWindow']);
  }

  /** Resolves to how many there were. */
  async #killProcesses(...types: readonly string[]): Promise<number> {
    if (!this.#running) return 0;
    const { marionette, home } = this.#running;
    const answer = await marionette.send(
      ['WebDriver:SwitchToWindow', { handle: home }],
      ['Marionette:SetContext', { value: 'chrome' }],
      ['WebDriver:ExecuteAsyncScript', { script: PROCESSES, args: [types] }],
    );
    await marionette.send(['Marionette:SetContext', { value: 'content' }]);
    const pids: unknown[] = Object(answer).value;
    for (const pid of pids) killIfThere(Number(pid));
    return pids.length;
  }
}
