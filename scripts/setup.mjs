// Gets a fresh clone ready: checks Node, installs the dependencies, finds or installs a Chromium for the tests.
// Every command starts with it, so it does nothing when nothing is to do. Uses nothing from node_modules.

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readyBrowsers } from './chromium.mjs';
import { ROOT, Stop, run, runAsProgram } from './run.mjs';

const OLDEST_NODE = 20;
const STAMP = join(ROOT, 'node_modules', '.offstage-setup');

/**
 * @param {{ browsers?: boolean }} [options] `browsers`: also have a Chromium, for the tests.
 * @returns {Promise<void>}
 */
export async function setup({ browsers = false } = {}) {
  checkNode();
  await installDependencies();
  if (browsers) await setupBrowsers();
}

async function setupBrowsers() {
  const { chromium, shell } = await readyBrowsers();
  process.env['OFFSTAGE_CHROMIUM'] = chromium;
  process.env['OFFSTAGE_HEADLESS_SHELL'] = shell;
}

function checkNode() {
  const version = process.versions.node;
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return;
  throw new Stop(
    `Offstage needs Node ${OLDEST_NODE} or newer to build; this is ${version}. See https://nodejs.org`,
  );
}

async function installDependencies() {
  const wanted = await stampOfLock();
  if ((await readFile(STAMP, 'utf8').catch(() => null)) === wanted) return;
  console.log('Installing dependencies (npm ci) ...');
  const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund']);
  if (code !== 0) throw new Stop(`${output}\nnpm ci failed: see above.`);
  await writeFile(STAMP, wanted);
}

/** Native packages differ by platform, so a tree that moved to another machine is installed again. */
async function stampOfLock() {
  const lock = await readFile(join(ROOT, 'package-lock.json'));
  const platform = `${process.platform} ${process.arch}`;
  return createHash('sha256').update(lock).update(platform).digest('hex');
}

await runAsProgram(import.meta.url, () => setup({ browsers: process.argv.includes('--browsers') }));
