// Finds a Chromium for the tests, or installs one: Playwright's own, else the system's through apt-get. And its
// headless shell, in which most tests run in half the time, where there is one.
// The paths are kept in .cache/chromium.json, where e2e/playwright.config.ts looks for them.

import { constants } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ROOT, Stop, run, tool } from './run.mjs';

const NOTE = join(ROOT, '.cache', 'chromium.json');
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const SYSTEM_SHELL = 'chromium-headless-shell';
const DOWNLOAD_LIMIT = 120_000;
const APT_LIMIT = 300_000;

/**
 * What .cache/chromium.json holds: paths of programs. `shell` is null where there is none, and installing it was tried.
 *
 * @typedef {{ path?: string, shell?: string | null }} Note
 */

/** @returns {Promise<string>} The path of a Chromium that can be run. */
export async function readyChromium() {
  const { path: noted } = await readNote();
  const path = (await fromEnvironment()) ?? (await program(noted)) ?? (await find()) ?? (await install());
  await writeNote({ path });
  return path;
}

/**
 * A Chromium, and its headless shell: the same engine without a browser around it, so no back/forward cache and no
 * installable pages. Who says by OFFSTAGE_CHROMIUM which browser to use gets that one for both.
 *
 * @returns {Promise<{ chromium: string, shell: string }>} Paths; the same one where there is no shell.
 */
export async function readyBrowsers() {
  const isGiven = Boolean(process.env['OFFSTAGE_CHROMIUM']);
  const chromium = await readyChromium();
  const shell = process.env['OFFSTAGE_HEADLESS_SHELL'] ?? (isGiven ? chromium : await readyShell());
  return { chromium, shell: shell ?? chromium };
}

async function readyShell() {
  const { shell: noted } = await readNote();
  const found = (await program(noted)) ?? (await findProgram([SYSTEM_SHELL])) ?? (await shellOfPlaywright());
  const wasTried = noted === null;
  const shell = found ?? (wasTried ? null : await installShell());
  await writeNote({ shell });
  return shell;
}

async function fromEnvironment() {
  const path = process.env['OFFSTAGE_CHROMIUM'];
  if (!path) return null;
  if (await isProgram(path)) return path;
  throw new Stop(`OFFSTAGE_CHROMIUM is ${path}, which is not a program that can be run.`);
}

/** @returns {Promise<Note>} */
async function readNote() {
  return JSON.parse(await readFile(NOTE, 'utf8').catch(() => '{}'));
}

/** @param {Note} news */
async function writeNote(news) {
  const note = { ...(await readNote()), ...news };
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  await writeFile(NOTE, `${JSON.stringify(note)}\n`);
}

/** @param {string | null | undefined} path */
async function program(path) {
  return typeof path === 'string' && (await isProgram(path)) ? path : null;
}

async function find() {
  return (await ofPlaywright()) ?? (await findProgram(SYSTEM_NAMES));
}

function ofPlaywright() {
  return askPlaywright("require('playwright-core').chromium.executablePath()");
}

/** It tells the path of its shell to nobody but its own command line; where it does not, there is none. */
function shellOfPlaywright() {
  const registry = "require('playwright-core/lib/coreBundle').registry.registry";
  return askPlaywright(`${registry}.findExecutable('chromium-headless-shell').executablePath()`);
}

/**
 * In a process of its own: this one loads nothing from node_modules.
 *
 * @param {string} question An expression, whose value is a path.
 */
async function askPlaywright(question) {
  const { output } = await run(process.execPath, ['--print', question], { cwd: ROOT });
  return program(output.trim());
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

/** Playwright's comes with its Chromium. */
async function installShell() {
  console.log('No headless shell found: trying apt-get install chromium-headless-shell ...');
  await installBySystem([SYSTEM_SHELL]);
  const installed = await findProgram([SYSTEM_SHELL]);
  if (!installed)
    console.log('It could not be installed: all tests run in Chromium, and take twice the time.');
  return installed;
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
