// `npm run test:third-party`: installs a server that others have written into .cache/third-party and plays the tests of
// e2e/third-party against it. `npm test` does without it: docs/decisions/0015-a-real-changes-feed.md says why.

import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readyLibrary, readyTestPage } from './build.mjs';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';
import { setup } from './setup.mjs';
import { whenChanged } from './stamp.mjs';

const SOURCE = 'e2e/third-party/couch';
const PACKAGES = [`${SOURCE}/package.json`, `${SOURCE}/package-lock.json`];
const INSTALLED = '.cache/third-party';

/** Nothing of it needs to be built, so no script of any package is run. */
async function install() {
  console.log('Installing the server of a third party (npm ci) ...');
  const cwd = join(ROOT, INSTALLED);
  await rm(cwd, { recursive: true, force: true });
  for (const path of PACKAGES) await cp(join(ROOT, path), join(cwd, basename(path)));
  const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });
  if (code !== 0) throw new Stop(`${output}\nnpm ci failed: see above.`);
}

await runAsProgram(import.meta.url, async () => {
  await setup({ browsers: true });
  await whenChanged('third-party', PACKAGES, [`${INSTALLED}/node_modules/.package-lock.json`], install);
  await cp(join(ROOT, SOURCE, 'server.mjs'), join(ROOT, INSTALLED, 'server.mjs'));
  await readyLibrary();
  await readyTestPage();
  const args = ['test', '--config', 'e2e/third-party', ...process.argv.slice(2)];
  const { code } = await run(tool('playwright'), args, { show: true });
  process.exitCode = code === 0 ? 0 : 1;
});
