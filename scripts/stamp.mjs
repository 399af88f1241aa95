// Tells whether files changed since something was last made from them, by what is in them.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

/**
 * Makes something unless it is there and its inputs are the same as the last time.
 *
 * @param {string} name
 * @param {readonly string[]} inputs Files and folders of the repository.
 * @param {readonly string[]} outputs Files that come of it.
 * @param {() => Promise<void>} make
 */
export async function whenChanged(name, inputs, outputs, make) {
  const stamp = stampOf(name);
  const wanted = await digest(inputs);
  const unchanged = (await readFile(stamp, 'utf8').catch(() => null)) === wanted;
  if (unchanged && outputs.every((path) => existsSync(join(ROOT, path)))) return;
  await forget(name);
  await make();
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  await writeFile(stamp, wanted);
}

/**
 * What is made without `whenChanged` says so, or the stamp would vouch for what it does not know; what is to be made anew
 * likewise.
 *
 * @param {string} name
 */
export async function forget(name) {
  await rm(stampOf(name), { force: true });
}

/** @param {string} name */
function stampOf(name) {
  return join(ROOT, '.cache', `${name}.stamp`);
}

/** @param {readonly string[]} inputs */
async function digest(inputs) {
  const hash = createHash('sha256');
  const files = (await Promise.all(inputs.map(filesIn))).flat();
  for (const file of files) hash.update(file).update(await readFile(join(ROOT, file)));
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {Promise<string[]>} Folders whose name starts with a dot hold data, not sources.
 */
async function filesIn(path) {
  const entries = await readdir(join(ROOT, path), { withFileTypes: true }).catch((error) => error.code);
  if (entries === 'ENOTDIR') return [path];
  if (entries === 'ENOENT') return [];
  const shown = entries
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return (await Promise.all(shown.map(({ name }) => filesIn(join(path, name))))).flat();
}
