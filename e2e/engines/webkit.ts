import { createServer } from 'node:net';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { Engine, EnginePage } from './engine.ts';
import { attempt } from './patience.ts';
import { Program } from './program.ts';
import type { Ability } from './scenario.ts';
import { workerProcesses } from './worker-processes.ts';

const START_LIMIT = 30_000;
const COMMAND_LIMIT = 30_000;

/** Where Debian keeps WebKitGTK's own small browser, by architecture and by the version of its interface. */
const BROWSERS = ['x86_64', 'aarch64'].flatMap((machine) =>
  ['4.1', '4.0', '6.0'].map((version) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
);

/** WebKitGTK in its MiniBrowser, over plain WebDriver. It keeps a worker alive as long as a page is open. */
export async function launchWebKit(): Promise<Engine> {
  const port = await freePort();
  const program = new Program('xvfb-run', ['-a', 'WebKitWebDriver', '-p', String(port)]);
  try {
    const driver = `http://127.0.0.1:${port}`;
    const binary = await attempt(1_000, 'The search for MiniBrowser', installedBrowser);
    const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } };
    const wanted = { capabilities: { alwaysMatch: options } };
    await attempt(START_LIMIT, 'The start of WebKitWebDriver', () => command(`${driver}/status`, 'GET'));
    const { sessionId, capabilities } = Object(await command(`${driver}/session`, 'POST', wanted));
    const version = `WebKitGTK in ${capabilities.browserName} ${capabilities.browserVersion}`;
    const session = `${driver}/session/${sessionId}`;
    const home = String(await command(`${session}/window`, 'GET'));
    return new WebKit(program, { session, version, home });
  } catch (error) {
    await program.end();
    throw new Error(`WebKitGTK did not start: ${program.output}`, { cause: error });
  }
}

class WebKit implements Engine {
  readonly name = 'webkit';
  readonly version: string;
  readonly abilities: ReadonlySet<Ability> = new Set<Ability>(['stop-worker']);
  readonly #program: Program;
  readonly #session: string;
  /** The window that it started with, from where the others are opened. */
  readonly #home: string;
  /** The page that registered the worker which can be stopped. */
  #nurse = '';
  /** One command at a time: they all concern the window that was switched to. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(program: Program, { session, version, home }: Start) {
    this.#program = program;
    this.#session = session;
    this.#home = home;
    this.version = version;
  }

  async open(url: string): Promise<EnginePage> {
    const handle = await this.#openWindow(url);
    const inPage = async (...last: Command): Promise<void> => {
      await this.#send(['POST', '/window', { handle }], last);
    };
    return {
      reload: () => inPage('POST', '/refresh', {}),
      hardReload: () => Promise.reject(new Error('WebDriver has no such command')),
      close: () => inPage('DELETE', '/window'),
    };
  }

  /**
   * The workers of a site share a process, that of the page which registered the first one. Here this is a page that
   * nobody needs afterwards, in a process of its own since those of earlier scenarios are gone.
   */
  async prepareStop(origin: string): Promise<void> {
    await this.#killWorkers();
    this.#nurse = await this.#openWindow(`${origin}/bare.html`);
    const register = { script: REGISTER, args: [] };
    await this.#send(['POST', '/window', { handle: this.#nurse }], ['POST', '/execute/async', register]);
  }

  /** No command does it, and a worker lives as long as a page: its process is killed, as if it had crashed. */
  async stopWorker(): Promise<void> {
    await this.#send(['POST', '/window', { handle: this.#nurse }], ['DELETE', '/window']);
    if ((await this.#killWorkers()) !== 1) throw new Error('The worker does not run in a process of its own');
  }

  async close(): Promise<void> {
    await this.#send(['DELETE', '']).catch(() => undefined);
    await this.#program.end();
  }

  async #killWorkers(): Promise<number> {
    const pids = await workerProcesses(this.#program.pid);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    return pids.length;
  }

  /** In a window of its own: a new tab stays hidden, and a hidden page's timers and polls are slow. */
  async #openWindow(url: string): Promise<string> {
    const opening = await this.#send(
      ['POST', '/window', { handle: this.#home }],
      ['POST', '/window/new', { type: 'window' }],
    );
    const { handle } = Object(opening);
    await this.#send(['POST', '/window', { handle }], ['POST', '/url', { url }]);
    return handle;
  }

  #send(...commands: readonly Command[]): Promise<unknown> {
    const run = async (): Promise<unknown> => {
      let value: unknown;
      for (const [method, path, body] of commands) value = await command(this.#session + path, method, body);
      return value;
    };
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** Registers the worker of all scenarios, and has it run. */
const REGISTER = `
  const done = arguments[0];
  navigator.serviceWorker.register('/service-worker.js')
    .then(() => navigator.serviceWorker.ready)
    .then(({ active }) => {
      const look = () => active.state === 'activated' && done();
      active.addEventListener('statechange', look);
      look();
    });
`;

interface Start {
  readonly session: string;
  readonly version: string;
  readonly home: string;
}

type Command = readonly [method: 'GET' | 'POST' | 'DELETE', path: string, body?: object];

async function command(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(COMMAND_LIMIT),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const { value } = Object(await response.json());
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value)}`);
  return value;
}

async function installedBrowser(): Promise<string | null> {
  for (const path of BROWSERS) {
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
