// nginx and Varnish as Debian has them, started for one round each, on loopback and in a folder of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram, installBySystem } from '../../scripts/chromium.mjs';
import { Stop, run } from '../../scripts/run.mjs';

/** Seconds after which a cache is ended even if this process could not do it. */
const LONGEST_LIFE = '300';

/**
 * @typedef {object} Kind
 * @property {string} program
 * @property {string} package Debian's name.
 * @property {string} template
 * @property {(config: string, folder: string, port: number) => string[]} args
 */

/** @type {Readonly<Record<string, Kind>>} */
export const CACHES = {
  nginx: {
    program: 'nginx',
    package: 'nginx-light',
    template: 'nginx.conf',
    args: (config, folder) => ['-c', config, '-p', folder, '-e', 'stderr', '-g', 'daemon off;'],
  },
  varnish: {
    program: 'varnishd',
    package: 'varnish',
    template: 'varnish.vcl',
    args: (config, folder, port) =>
      [
        ['-F', '-j', 'none', '-T', 'none', '-S', 'none'],
        ['-f', config, '-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`],
        ['-s', 'malloc,64m', '-p', 'vsl_space=16m', '-p', 'listen_depth=4096'],
      ].flat(),
  },
};

/** Debian keeps servers out of the path of ordinary users. */
process.env['PATH'] = ['/usr/sbin', process.env['PATH']].join(delimiter);

/**
 * Installs what of them is missing.
 *
 * @param {readonly string[]} names
 */
export async function readyCaches(names) {
  const missing = await missingOf(names);
  if (missing.length === 0) return;
  const packages = missing.map((name) => CACHES[name].package);
  console.error(`Not installed: ${missing.join(', ')}. Trying apt-get install ${packages.join(' ')} ...`);
  const output = await installBySystem(packages);
  const still = await missingOf(missing);
  if (still.length === 0) return;
  throw new Stop(
    `${output}\nCould not be installed: ${still.join(', ')}. Install ${packages.join(', ')} (the names are ` +
      "Debian's), or name the cache that is there: npm run shared-cache -- --cache nginx",
  );
}

async function missingOf(names) {
  const paths = await Promise.all(names.map((name) => findProgram([CACHES[name].program])));
  return names.filter((_, index) => paths[index] === null);
}

/** @returns {Promise<string>} For instance `1.22.1`. */
export async function versionOf(name) {
  const { output } = await run(CACHES[name].program, ['-V']);
  return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? '';
}

/**
 * @param {string} name
 * @param {number} origin Port of what it stands in front of.
 * @param {(config: string) => string} edit Changes the filled template.
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>}
 */
export async function startCache(name, origin, edit) {
  const { program, template, args } = CACHES[name];
  const folder = await mkdtemp(join(tmpdir(), 'offstage-cache-'));
  // nginx, started by root, works as somebody else.
  await chmod(folder, 0o755);
  const port = await freePort();
  const text = await readFile(new URL(template, import.meta.url), 'utf8');
  const values = { FOLDER: folder, PORT: port, ORIGIN: origin };
  const config = join(folder, template);
  await writeFile(config, edit(text.replaceAll(/\$\{([A-Z]+)\}/g, (_, key) => values[key])));
  const { end, output } = start(program, args(config, folder, port), folder);
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  if (await listens(port)) return { port, stop };
  await stop();
  throw new Stop(`${output()}\n${name} did not start: see above.`);
}

/** Under coreutils' `timeout`, which leads a process group of its own and hands signals on. */
function start(program, args, folder) {
  const child = spawn('timeout', ['--kill-after=5', LONGEST_LIFE, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const interrupt = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  const end = async () => {
    process.off('SIGINT', interrupt);
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  return { end, output: () => printed };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}

async function listens(port) {
  const until = performance.now() + 15_000;
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1');
    const answered = await once(socket, 'connect').catch(() => null);
    socket.destroy();
    if (answered) return true;
    await sleep(100);
  }
  return false;
}
