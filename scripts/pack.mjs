// Packs the tarball that users install, from the dist/ that stands there.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, Stop, run } from './run.mjs';

/**
 * @typedef {object} Tarball
 * @property {string} path
 * @property {readonly string[]} files What is in it, from the package's root.
 * @property {number} size Bytes.
 */

/** @returns {Promise<Tarball>} */
export async function pack() {
  const folder = join(ROOT, '.cache', 'package');
  await mkdir(folder, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { code, output, stdout } = await run('npm', args);
  if (code !== 0) throw new Stop(`${output}\nnpm pack failed: see above.`);
  const [{ filename, files, size }] = JSON.parse(stdout);
  return { path: join(folder, filename), files: files.map(({ path }) => path), size };
}
