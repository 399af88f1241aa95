import { FixtureServer } from '../server/fixture-server.ts';
import type { Engine, EnginePage } from './engine.ts';
import { within } from './patience.ts';
import type { Prompter } from './prompter.ts';
import type { Act, Check, Part, Report, Scenario, Verdict } from './scenario.ts';

/** Milliseconds for one act, which waits with a limit of its own: this one is for engines that hang. */
const ACT_LIMIT = 120_000;

/** Plays a scenario against a server of its own, hence in an origin of its own: no worker, nothing stored. */
export async function perform(engine: Engine, scenario: Scenario, prompter: Prompter): Promise<Verdict> {
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const performance = new Performance(engine, server, prompter, scenario);
  try {
    const checks = await performance.play();
    const broken = checks.filter(({ holds }) => !holds);
    const details = broken.map(({ claim, detail }) => `${claim}: ${detail}`);
    if (checks.length === 0) details.push('nothing was claimed');
    return { name: scenario.name, ok: details.length === 0, details };
  } catch (error) {
    return { name: scenario.name, ok: false, details: [String(error)] };
  } finally {
    await performance.end();
    await server.down();
  }
}

class Performance {
  readonly #engine: Engine;
  readonly #server: FixtureServer;
  readonly #prompter: Prompter;
  readonly #scenario: Scenario;
  readonly #checks: Check[] = [];
  #page: EnginePage | null = null;

  constructor(engine: Engine, server: FixtureServer, prompter: Prompter, scenario: Scenario) {
    this.#engine = engine;
    this.#server = server;
    this.#prompter = prompter;
    this.#scenario = scenario;
  }

  async play(): Promise<readonly Check[]> {
    this.#prompter.grant({
      down: () => this.#server.down(),
      up: () => this.#server.up(),
      stopWorker: () => this.#engine.stopWorker(),
      publish: () => this.#publish(),
      invite: (memory) => this.#invite(memory),
    });
    if (this.#scenario.needs.includes('stop-worker')) await this.#engine.prepareStop(this.#server.url);
    let memory: unknown = null;
    for (const [index, act] of this.#scenario.acts.entries()) {
      const part = { scenario: this.#scenario.name, act: index, memory };
      memory = await this.#report('host', part, () => this.#enter(act));
    }
    return this.#checks;
  }

  async end(): Promise<void> {
    await this.#page?.close();
  }

  async #enter({ enter }: Act): Promise<void> {
    if (enter === 'open' || !this.#page) this.#page = await this.#engine.open(this.#urlOf('host'));
    else if (enter === 'reload') await this.#page.reload();
    else await this.#page.hardReload();
  }

  async #publish(): Promise<void> {
    const release = Math.random();
    this.#server.rewrite('/service-worker.js', (file) => `${file}\n// ${release}`);
  }

  async #invite(memory: unknown): Promise<unknown> {
    let guest: EnginePage | null = null;
    const part = { scenario: this.#scenario.name, act: 'guest', memory } as const;
    try {
      return await this.#report('guest', part, async () => {
        guest = await this.#engine.open(this.#urlOf('guest'));
      });
    } finally {
      await Object(guest).close?.();
    }
  }

  /** Has a page play its part; resolves to what it kept. */
  async #report(page: string, part: Part, enter: () => Promise<void>): Promise<unknown> {
    const reported = this.#prompter.cast(page, part);
    await enter();
    const { checks, memory }: Report = await within(ACT_LIMIT, `Act ${part.act}`, reported);
    this.#checks.push(...checks);
    return memory;
  }

  #urlOf(page: string): string {
    const query = new URLSearchParams({ page, prompter: this.#prompter.url });
    return `${this.#server.url}/engines.html?${query.toString()}`;
  }
}
