// Finds a Chromium for the tests, or installs one: Playwright's own, else the system's through apt-get.
// The path is kept in .cache/chromium.json, where e2e/playwright.config.ts looks for it.

import { constants } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ROOT, Stop, run, tool } from './run.mjs';

const NOTE = join(ROOT, '.cache', 'chromium.json');
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const DOWNLOAD_LIMIT = 120_000;
const APT_LIMIT = 300_000;

/** @returns {Promise<string>} The path of a Chromium that can be run. */
export async function readyChromium() {
  const path = (await fromEnvironment()) ?? (await noted()) ?? (await find()) ?? (await install());
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  await writeFile(NOTE, `${JSON.stringify({ path })}\n`);
  return path;
}

async function fromEnvironment() {
  const path = process.env['OFFSTAGE_CHROMIUM'];
  if (!path) return null;
  if (await isProgram(path)) return path;
  throw new Stop(`OFFSTAGE_CHROMIUM is ${path}, which is not a program that can be run.`);
}

async function noted() {
  const text = await readFile(NOTE, 'utf8').catch(() => '{}');
  const { path } = JSON.parse(text);
  return typeof path === 'string' && (await isProgram(path)) ? path : null;
}

async function find() {
  return (await ofPlaywright()) ?? (await findProgram(SYSTEM_NAMES));
}

/** Asked in a process of its own: this one loads nothing from node_modules. */
async function ofPlaywright() {
  const question = "require('playwright-core').chromium.executablePath()";
  const { output } = await run(process.execPath, ['--print', question], { cwd: ROOT });
  const path = output.trim();
  return (await isProgram(path)) ? path : null;
}

/**
 * @param {readonly string[]} names
 * @returns {Promise<string | null>} The path of the first of them that the system has.
 */
export async function findProgram(names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isProgram(path)) return path;
  }
  return null;
}

async function install() {
  console.log('No Chromium found: trying to download the one of Playwright ...');
  const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' };
  await run(tool('playwright'), ['install', 'chromium'], { env, timeout: DOWNLOAD_LIMIT });
  const downloaded = await ofPlaywright();
  if (downloaded) return downloaded;

  console.log('It could not be downloaded: trying apt-get install chromium ...');
  const output = await installBySystem(['chromium', 'fonts-liberation']);
  const installed = await findProgram(SYSTEM_NAMES);
  if (installed) return installed;

  throw new Stop(
    `${output}\nThe end-to-end tests need a Chromium, and none could be installed. ` +
      'Install one, or say where it is in the environment variable OFFSTAGE_CHROMIUM.',
  );
}

/**
 * @param {readonly string[]} packages Names of Debian's.
 * @returns {Promise<string>} What apt-get printed, failures included.
 */
export async function installBySystem(packages) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  let output = '';
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const [command = 'apt-get', ...rest] = [...sudo, 'apt-get', ...args];
    output += (await run(command, rest, { env, timeout: APT_LIMIT })).output;
  }
  return output;
}

/** @param {string} path */
async function isProgram(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
