import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, EnginePage } from './engine.ts';
import { Marionette } from './marionette.ts';
import { attempt } from './patience.ts';
import { forgetProfile, makeProfile } from './profile.ts';
import { Program } from './program.ts';
import type { Ability } from './scenario.ts';

const START_LIMIT = 60_000;

/** Where in its profile Firefox says on which port it listens. */
const PORT_FILE = 'MarionetteActivePort';

/**
 * A worker ends two seconds after its last event, or three where one is still held: Firefox does by itself, every
 * few seconds, what it does to users after half a minute.
 */
export const PREFERENCES = {
  'dom.serviceWorkers.idle_timeout': 2_000,
  'dom.serviceWorkers.idle_extended_timeout': 1_000,
  // Of the system's own choice; it is told in a file of the profile.
  'marionette.port': 0,
};

/** Firefox ESR, stock, over Marionette. */
export async function launchFirefox(): Promise<Engine> {
  const profile = await makeProfile(PREFERENCES);
  try {
    const { program, marionette, version, home } = await startFirefox('firefox-esr', profile);
    return new Firefox(program, marionette, { profile, version, home });
  } catch (error) {
    await forgetProfile(profile);
    throw error;
  }
}

/** A Firefox that runs. */
export interface Running {
  readonly program: Program;
  readonly marionette: Marionette;
  readonly version: string;
  /** The tab that it started with, from where the others are opened. */
  readonly home: string;
}

/** Starts it with a profile made with those preferences, which it may have had before. */
export async function startFirefox(
  command: string,
  profile: string,
  flags: readonly string[] = [],
): Promise<Running> {
  await rm(join(profile, PORT_FILE), { force: true });
  const program = new Program(command, ['--headless', '--marionette', ...flags, '--profile', profile], {
    HOME: profile,
  });
  try {
    const port = await attempt(START_LIMIT, 'The start of Firefox', () => portOf(profile, program));
    const marionette = await Marionette.to(port);
    const version = versionOf(await marionette.send(['WebDriver:NewSession']));
    const home = Object(await marionette.send(['WebDriver:GetWindowHandle'])).value;
    return { program, marionette, version, home };
  } catch (error) {
    await program.end();
    throw new Error(`Firefox did not start: ${program.output}`, { cause: error });
  }
}

class Firefox implements Engine {
  readonly name = 'firefox';
  readonly version: string;
  readonly abilities: ReadonlySet<Ability> = new Set<Ability>(['stop-worker', 'hard-reload']);
  readonly #program: Program;
  readonly #marionette: Marionette;
  readonly #profile: string;
  readonly #home: string;

  constructor(program: Program, marionette: Marionette, { profile, version, home }: Start) {
    this.#program = program;
    this.#marionette = marionette;
    this.#profile = profile;
    this.#home = home;
    this.version = version;
  }

  async open(url: string): Promise<EnginePage> {
    const { handle } = Object(
      await this.#marionette.send(
        ['WebDriver:SwitchToWindow', { handle: this.#home }],
        ['WebDriver:NewWindow', { type: 'tab' }],
      ),
    );
    const inPage = async (...command: readonly [string, object?]): Promise<void> => {
      await this.#marionette.send(['WebDriver:SwitchToWindow', { handle }], command);
    };
    await inPage('WebDriver:Navigate', { url });
    return {
      reload: () => inPage('WebDriver:ExecuteScript', { script: 'location.reload()', args: [] }),
      // Only Firefox still knows this argument.
      hardReload: () => inPage('WebDriver:ExecuteScript', { script: 'location.reload(true)', args: [] }),
      close: () => inPage('WebDriver:CloseWindow'),
    };
  }

  async prepareStop(): Promise<void> {}

  /** Nothing to do: it stops by itself. */
  async stopWorker(): Promise<void> {}

  async close(): Promise<void> {
    this.#marionette.close();
    await this.#program.end();
    await forgetProfile(this.#profile);
  }
}

interface Start {
  readonly profile: string;
  readonly version: string;
  readonly home: string;
}

async function portOf(profile: string, program: Program): Promise<number | null> {
  if (program.ended) throw new Error('Firefox has ended');
  const port = await readFile(join(profile, PORT_FILE), 'utf8').catch(() => '');
  return Number(port) || null;
}

function versionOf(session: unknown): string {
  const { browserName, browserVersion } = Object(Object(session).capabilities);
  return `${browserName} ${browserVersion}`;
}
