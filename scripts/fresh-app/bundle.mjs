// Bundles each of the programs that it is given (a JSON object of codes by name), as an app's production build does, by vite
// and by esbuild. Prints the texts of what is loaded at once and of all that is made, as JSON.

import { writeFile } from 'node:fs/promises';
import { build as buildByEsbuild } from 'esbuild';
import { build as buildByVite } from 'vite';

/** @typedef {{ readonly atOnce: string, readonly all: string }} Bundle */

/** @type {Record<string, (file: string) => Promise<Bundle>>} */
const BUNDLERS = { vite: byVite, esbuild: byEsbuild };

/** @param {string} file */
async function byVite(file) {
  const built = await buildByVite({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: file } },
  });
  const chunks = [built]
    .flat()
    .flatMap((result) => ('output' in result ? result.output : []))
    .filter((each) => each.type === 'chunk');
  return bundleOf(chunks.map(({ code, isEntry }) => ({ text: code, isEntry })));
}

/** @param {string} file */
async function byEsbuild(file) {
  const { outputFiles } = await buildByEsbuild({
    entryPoints: { entry: file },
    outdir: 'out',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    write: false,
  });
  return bundleOf(outputFiles.map(({ text, path }) => ({ text, isEntry: path.endsWith('entry.js') })));
}

/**
 * @param {readonly { readonly text: string, readonly isEntry: boolean }[]} files
 * @returns {Bundle}
 */
function bundleOf(files) {
  return { atOnce: textOf(files.filter(({ isEntry }) => isEntry)), all: textOf(files) };
}

/** @param {readonly { readonly text: string }[]} files */
function textOf(files) {
  return files.map(({ text }) => text).join('\n');
}

/** @type {{ name: string, bundler: string, bundle: Bundle }[]} */
const made = [];
for (const [name, code] of Object.entries(JSON.parse(process.argv[2] ?? '{}'))) {
  const file = `./bundled-${made.length}.js`;
  await writeFile(file, code);
  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    made.push({ name, bundler, bundle: await bundle(file) });
  }
}
console.log(JSON.stringify(made));
