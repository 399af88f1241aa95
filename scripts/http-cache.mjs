// `npm run test:http-cache`: gets the public test suite for HTTP caches into .cache/http-cache and plays it through a
// Resource in Chromium. `npm test` does without it, since the suite is downloaded and sleeps for minutes.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readyLibrary, readyTestPage } from './build.mjs';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';
import { setup } from './setup.mjs';

const SUITE = 'http-cache-tests@0.4.5';
const FILE = 'http-cache-tests-0.4.5.tgz';
const DIGEST = 'DjuwN9nUZXLTW+wav1LRESCZNVxl8SshwOy4z1pxuWbWt5/ay6sM9QQ1lebBaDO6P1IMBoK6mdf+PuVP/QNL8A==';
const FOLDER = join(ROOT, '.cache', 'http-cache');

/** Its dependencies are for its own page and its own command, so they are not installed. */
async function download() {
  const archive = join(FOLDER, FILE);
  const known = await readFile(archive).catch(() => null);
  if (!known || digestOf(known) !== DIGEST) {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    const { code, output } = await run('npm', ['pack', SUITE, '--pack-destination', FOLDER]);
    if (code !== 0) throw new Stop(`${output}\n${SUITE} could not be downloaded: see above.`);
  }
  if (digestOf(await readFile(archive)) !== DIGEST) throw new Stop(`${FILE} is not what it was.`);
  const { code, output } = await run('tar', ['-xzf', archive, '-C', FOLDER]);
  if (code !== 0) throw new Stop(`${output}\n${FILE} could not be unpacked: see above.`);
}

/** @param {Buffer} bytes */
function digestOf(bytes) {
  return createHash('sha512').update(bytes).digest('base64');
}

await runAsProgram(import.meta.url, async () => {
  await setup({ browsers: true });
  await download();
  await readyLibrary();
  await readyTestPage();
  const args = ['test', '--config', 'e2e/http-cache', ...process.argv.slice(2)];
  const { code } = await run(tool('playwright'), args, { show: true });
  process.exitCode = code === 0 ? 0 : 1;
});
