// `npm start`: sets up what is missing, builds the library and the demo where their sources changed, serves the demo
// until Ctrl-C. `npm start -- --port 3000` takes another port.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { SOURCES, buildDemo, readyLibrary } from './build.mjs';
import { ROOT, Stop, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';
import { whenChanged } from './stamp.mjs';

const SERVER = '.cache/demo-server/main.js';

/** @param {string} port */
async function start(port) {
  await setup();
  await readyLibrary();
  await whenChanged('demo', [...SOURCES, 'demo', 'public'], [SERVER, '.cache/demo/index.html'], buildDemo);
  process.exitCode = await serve(port);
}

/**
 * @param {string} port
 * @returns {Promise<number>} The server's exit code, once it has ended.
 */
async function serve(port) {
  const server = spawn(process.execPath, [SERVER, '--port', port], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Ctrl-C reaches the server too: this script only waits until it has closed its database.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => void server.kill('SIGTERM'));
  server.stdout.setEncoding('utf8').once('data', (address) => {
    console.log(`\n  The demo is at ${address.trim()}\n  Ctrl-C ends it.\n`);
  });
  const [code] = await once(server, 'exit');
  return code ?? 1;
}

await runAsProgram(import.meta.url, async () => {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' } } });
  if (!/^\d+$/.test(values.port)) throw new Stop(`--port takes a number, not ${values.port}.`);
  await start(values.port);
});
