// `npm run test:engines`: plays the scenarios of e2e/engines in Chromium, Firefox and WebKitGTK, and installs what of
// them is missing. `npm run test:engines -- firefox webkit` takes those named. `npm test` does without it.

import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { bundle, readyLibrary } from './build.mjs';
import { installBySystem } from './chromium.mjs';
import { ROOT, Stop, run, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

/** @type {Readonly<Record<string, { programs: readonly string[], packages: readonly string[] }>>} */
const ENGINES = {
  chromium: { programs: [], packages: [] },
  firefox: { programs: ['firefox-esr'], packages: ['firefox-esr'] },
  webkit: {
    programs: ['WebKitWebDriver', 'xvfb-run', 'xauth'],
    packages: ['webkit2gtk-driver', 'xvfb', 'xauth'],
  },
};

/** @param {readonly string[]} engines */
async function install(engines) {
  const missing = await missingOf(engines);
  if (missing.length === 0) return;
  const packages = missing.flatMap((name) => ENGINES[name]?.packages ?? []);
  console.log(`Not installed: ${missing.join(', ')}. Trying apt-get install ${packages.join(' ')} ...`);
  const output = await installBySystem(packages);
  const still = await missingOf(missing);
  if (still.length === 0) return;
  throw new Stop(
    `${output}\nCould not be installed: ${still.join(', ')}. Install ${packages.join(', ')} (the names are ` +
      "Debian's), or name the engines that are there: npm run test:engines -- chromium",
  );
}

/** @param {readonly string[]} engines */
async function missingOf(engines) {
  const missing = [];
  for (const name of engines) {
    const found = await Promise.all((ENGINES[name]?.programs ?? []).map(isInstalled));
    if (found.includes(false)) missing.push(name);
  }
  return missing;
}

/** @param {string} program */
async function isInstalled(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const looks = folders.map((folder) => access(join(folder, program), constants.X_OK));
  return Promise.any(looks).then(
    () => true,
    () => false,
  );
}

async function build() {
  await readyLibrary();
  await rm(join(ROOT, '.cache', 'engines'), { recursive: true, force: true });
  for (const mode of ['engines-page', 'engines-runner']) await bundle(mode);
}

await runAsProgram(import.meta.url, async () => {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !(name in ENGINES));
  if (unknown) throw new Stop(`There is no engine ${unknown}: take ${Object.keys(ENGINES).join(', ')}.`);
  const engines = named.length === 0 ? Object.keys(ENGINES) : named;
  await setup({ browsers: engines.includes('chromium') });
  await install(engines);
  await build();
  // It has a limit of its own, and ends its browsers.
  const { code } = await run(process.execPath, ['.cache/engines/run.js', ...engines], { show: true });
  process.exitCode = code === 0 ? 0 : 1;
});
