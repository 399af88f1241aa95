// Bundles dist/ as an app's production build does and holds what a page then loads against budgets, in bytes of brotli:
// the same sources make the same number on every machine. The README has to say the same budgets. Needs a built dist/.
//
// `node scripts/size-budget.mjs` prints all of it.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ROOT, Stop, runAsProgram } from './run.mjs';

/**
 * What an app imports, and how many bytes of brotli that may cost at once: what was reached, rounded up to the next hundred.
 * `later` names what counts although it is loaded later; the rest of that has its line in the table and no budget.
 *
 * @type {Record<string, Entry>}
 */
const ENTRIES = {
  'first invocation': { code: "export { connect, Resource } from 'offstage';", budget: 58_600 },
  'with stores and workbox': {
    code: "export { connect, Resource, RestStore } from 'offstage';",
    later: 'workbox-window',
    budget: 63_300,
  },
  offstage: { code: "export * from 'offstage';", budget: 63_400 },
  'offstage/list': { code: "export * from 'offstage/list';", budget: 10_100 },
  'offstage/fw': { code: "export * from 'offstage/fw';", budget: 71_800 },
};

const FOLDER = join(ROOT, '.cache', 'size-budget');
const BUILT = { offstage: 'main', 'offstage/list': 'main/list', 'offstage/fw': 'main/fw' };

/**
 * @typedef {object} Entry
 * @property {string} code
 * @property {string} [later]
 * @property {number} budget
 *
 * @typedef {object} Size
 * @property {number} minified
 * @property {number} gzip
 * @property {number} brotli
 *
 * @typedef {object} Loaded
 * @property {string | null} later The file's name; null for what is loaded at once.
 * @property {Size} size
 */

/** Returns what was measured; throws a `Stop` where that is over a budget, or where the README says another one. */
export async function checkSizeBudget({ print = false } = {}) {
  await checkReadme();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const told = [];
  const over = [];
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const loaded = await bundle(name, entry.code);
    const counted = loaded
      .filter(({ later }) => counts(entry, later))
      .reduce((sum, { size }) => sum + size.brotli, 0);
    const figure = `${name} ${inKilobytes(counted)} of ${inKilobytes(entry.budget)}`;
    if (print) printTable(figure, entry, loaded);
    told.push(figure);
    if (counted > entry.budget)
      over.push(`${name}: ${counted} bytes of brotli are more than ${entry.budget}`);
  }
  if (over.length > 0) throw new Stop(`${over.join('\n')}\nPages load more: see scripts/size-budget.mjs.`);
  return told.join(', ');
}

async function checkReadme() {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  for (const [name, { budget }] of Object.entries(ENTRIES)) {
    const said = new RegExp(`^\\| \`?${name}\`? +\\| +(.+ kB) \\|$`, 'm').exec(readme)?.[1];
    if (said === inKilobytes(budget)) continue;
    throw new Stop(`README.md says ${said ?? 'nothing'} of ${name}, whose budget is ${inKilobytes(budget)}`);
  }
}

/**
 * @param {Entry} entry
 * @param {string | null} later
 */
function counts(entry, later) {
  return later === null || (entry.later !== undefined && later.startsWith(entry.later));
}

/**
 * @param {string} entry
 * @param {string} code
 * @returns {Promise<Loaded[]>} What is loaded at once, and what later.
 */
async function bundle(entry, code) {
  const file = join(FOLDER, `${entry.replaceAll(/\W/g, '-')}.js`);
  await writeFile(file, code);
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: {
      alias: Object.entries(BUILT).map(([name, folder]) => ({
        find: new RegExp(`^${name}$`),
        replacement: join(ROOT, 'dist', folder, 'index.js'),
      })),
    },
    build: {
      write: false,
      target: 'es2022',
      // A library is built without vite's own code for preloading, which an app has once, whatever it imports.
      lib: { entry: file, formats: ['es'] },
      rolldownOptions: { output: { minify: true, chunkFileNames: '[name].js' } },
    },
  });
  return loadedOf([built].flat().flatMap((result) => ('output' in result ? result.output : [])));
}

/**
 * @param {readonly (import('vite').Rolldown.OutputChunk | import('vite').Rolldown.OutputAsset)[]} output
 * @returns {Loaded[]}
 */
function loadedOf(output) {
  const chunks = output.filter((each) => each.type === 'chunk');
  const first = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  const initial = new Set(first);
  for (const name of initial) {
    for (const each of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) initial.add(each);
  }
  const [now, later] = [true, false].map((at) =>
    chunks.filter(({ fileName }) => initial.has(fileName) === at),
  );
  return [
    { later: null, size: sizeOf(now ?? []) },
    ...(later ?? []).map((chunk) => ({ later: chunk.fileName, size: sizeOf([chunk]) })),
  ];
}

/**
 * Of files that are compressed each for itself, as servers do.
 *
 * @param {readonly import('vite').Rolldown.OutputChunk[]} chunks
 * @returns {Size}
 */
function sizeOf(chunks) {
  const sum = (/** @type {(code: string) => { readonly length: number }} */ made) =>
    chunks.reduce((total, { code }) => total + made(code).length, 0);
  return {
    minified: sum((code) => Buffer.from(code)),
    gzip: sum((code) => gzipSync(code, { level: 9 })),
    brotli: sum((code) => brotliCompressSync(code)),
  };
}

/**
 * @param {string} title
 * @param {Entry} entry
 * @param {readonly Loaded[]} loaded
 */
function printTable(title, entry, loaded) {
  console.log(`\n${title.padEnd(52)}${['minified', 'gzip', 'brotli'].map(inColumn).join('')}`);
  for (const { later, size } of loaded) {
    const what = later === null ? 'at once' : `later: ${later}${counts(entry, later) ? '' : ', not counted'}`;
    const figures = [size.minified, size.gzip, size.brotli].map((each) => inColumn(String(each)));
    console.log(`  ${what.padEnd(50)}${figures.join('')}`);
  }
}

/** @param {string} text */
function inColumn(text) {
  return text.padStart(10);
}

/** @param {number} bytes */
function inKilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

await runAsProgram(import.meta.url, async () => {
  await checkSizeBudget({ print: true });
});
