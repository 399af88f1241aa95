// The libraries that are measured beside ours: installed into .cache/bench, never among the dependencies, and each built
// into a page as an app's bundler would build it for production.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, Stop, run } from '../scripts/run.mjs';
import { whenChanged } from '../scripts/stamp.mjs';

const FOLDER = '.cache/bench';
const SOURCES = join(ROOT, 'bench', 'pages');
export const INSTALLED = join(ROOT, FOLDER);
export const PAGES = join(INSTALLED, 'pages');
export const SERVICE_WORKER = join(ROOT, 'dist', 'service-worker.js');

const PACKAGES = {
  '@reduxjs/toolkit': '2.14.0',
  '@tanstack/db': '0.8.7',
  '@tanstack/offline-transactions': '1.0.53',
  '@tanstack/query-async-storage-persister': '5.104.5',
  '@tanstack/query-core': '5.108.0',
  '@tanstack/query-persist-client-core': '5.104.5',
  alova: '3.5.5',
  'idb-keyval': '6.3.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  swr: '2.5.1',
  'uri-templates': '0.2.0',
  uritemplate: '0.3.4',
  'url-template': '3.1.1',
  'workbox-background-sync': '7.4.1',
  'workbox-core': '7.4.1',
  'workbox-routing': '7.4.1',
  'workbox-strategies': '7.4.1',
};

/** `shown` rows are all that its page has; else it has them all. @typedef {{ name: string, page: string, version: string, shown?: number }} Library */

/** In the order of the tables; the page of each is bench/pages/<page>.js. @type {readonly Library[]} */
export const LIBRARIES = [
  { name: 'Offstage', page: 'offstage', version: '' },
  { name: 'TanStack Query', page: 'tanstack', version: PACKAGES['@tanstack/query-core'] },
  { name: 'SWR', page: 'swr', version: `${PACKAGES.swr}, React ${PACKAGES.react}` },
  { name: 'RTK Query', page: 'rtk-query', version: PACKAGES['@reduxjs/toolkit'] },
  { name: 'alova', page: 'alova', version: `${PACKAGES.alova}, React ${PACKAGES.react}` },
  { name: 'fetch', page: 'fetch', version: "the browser's own" },
];

/** Ours where a page shows a part: the first in the page's life, whose code is compiled meanwhile, and a later one. @type {readonly Library[]} */
export const WINDOWS = [
  { name: 'Offstage, a window of 50 rows', page: 'offstage-window', version: '', shown: 50 },
  { name: 'Offstage, a later window', page: 'offstage-later-window', version: '', shown: 50 },
];

/**
 * Ours where a page hears of changes alone, and where something is made of the whole: in the page, or in a worker with
 * functions of its own. @type {readonly Library[]}
 */
export const WAYS = [
  { name: "Offstage, notify: 'change'", page: 'offstage-quiet', version: '' },
  { name: 'Offstage, manipulateData', page: 'offstage-manipulate', version: '' },
  { name: 'Offstage, a schema in the page', page: 'offstage-schema', version: '' },
  { name: 'Offstage, both as transform', page: 'offstage-transform', version: '' },
];

/** Those that start with what was stored: each page has a worker that serves the page itself. */
export const BOOTS = [
  { name: 'Offstage', page: 'boot-offstage', worker: 'boot-offstage-worker' },
  { name: 'TanStack Query, one record a query', page: 'boot-by-query', worker: 'boot-worker' },
  { name: 'TanStack Query, all in one record', page: 'boot-blob', worker: 'boot-worker' },
];

/** The libraries of `loops`, each with its page of many polls. @type {readonly Library[]} */
export const LOOPS = [
  { name: 'Offstage', page: 'loops-offstage', version: '' },
  { name: 'TanStack Query', page: 'loops-tanstack', version: PACKAGES['@tanstack/query-core'] },
  { name: 'SWR', page: 'loops-swr', version: PACKAGES.swr },
];

/** Those that a visitor's first data come by. @type {readonly Library[]} */
export const VISITS = [
  { name: 'Offstage', page: 'visit-offstage', version: '' },
  { name: 'TanStack Query', page: 'visit-tanstack', version: '' },
  { name: 'TanStack Query, stored', page: 'visit-persisted', version: '' },
  { name: 'SWR', page: 'visit-swr', version: '' },
  { name: 'fetch', page: 'visit-fetch', version: '' },
];

/**
 * `sender`: what sends its writes and is stopped. A worker that is woken by its page, one that waits for the `sync` event of
 * that `tag`, or the page itself. `only`: the one part of the benchmark that it is in.
 *
 * @typedef {{ name: string, page: string, lanes: number, sender: 'worker' | 'sync' | 'page', worker?: string, tag?: string, only?: string }} Queueing
 */

const WORKBOX = /** @type {const} */ ({ lanes: 1, sender: 'sync', tag: 'workbox-background-sync:writes' });

/** Those that keep writes until the server has performed them. @type {readonly Queueing[]} */
export const OUTBOXES = [
  { name: 'Offstage', page: 'outbox-offstage', lanes: 4, sender: 'worker' },
  { name: 'Offstage, one lane', page: 'outbox-offstage', lanes: 1, sender: 'worker', only: 'back' },
  { name: 'Workbox', page: 'outbox-workbox', worker: 'outbox-workbox-worker', ...WORKBOX },
  {
    name: 'Workbox, onSync that checks',
    page: 'outbox-workbox-checked',
    worker: 'outbox-workbox-checked-worker',
    ...WORKBOX,
  },
  { name: 'TanStack DB', page: 'outbox-tanstack', lanes: 1, sender: 'page' },
];

/** Every peer's version, for the head of the report. */
export const VERSIONS = Object.entries(PACKAGES).map(([name, version]) => `${name} ${version}`);

/** Installs the peers unless they are there. None of them needs to be built, so no script of a package is run. */
export async function readyPeers() {
  const outputs = [`${FOLDER}/node_modules/.package-lock.json`];
  await whenChanged('bench-peers', ['bench/peers.mjs'], outputs, async () => {
    console.error('Installing the peers (npm install) ...');
    await rm(INSTALLED, { recursive: true, force: true });
    await mkdir(INSTALLED, { recursive: true });
    const manifest = { name: 'offstage-bench', private: true, type: 'module', dependencies: PACKAGES };
    await writeFile(join(INSTALLED, 'package.json'), JSON.stringify(manifest, null, 2));
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, output } = await run('npm', args, { cwd: INSTALLED, timeout: 300_000 });
    if (code !== 0) throw new Stop(`${output}\nnpm install failed: see above.`);
  });
}

/** Builds all pages anew, which takes a second or two. */
export async function buildPages() {
  await rm(PAGES, { recursive: true, force: true });
  const chunks = new Map();
  for (const page of [
    ...[...LIBRARIES, ...WINDOWS, ...WAYS].map((library) => library.page),
    'invoke',
    'cache-scale',
    'queries',
    'queries-tanstack',
    'optimistic',
    'optimistic-tanstack',
    ...new Set([...LOOPS, ...BOOTS, ...VISITS, ...OUTBOXES].map((library) => library.page)),
  ]) {
    const output = await bundle(join(SOURCES, `${page}.js`));
    await mkdir(join(PAGES, page), { recursive: true });
    for (const { fileName, code } of output) await writeFile(join(PAGES, page, fileName), code);
    chunks.set(
      page,
      output.map(({ fileName }) => fileName),
    );
  }
  for (const { page } of VISITS) {
    // The guide's advice: what a first visit needs is fetched together with the page's script.
    const early = (chunks.get(page) ?? []).filter((name) => /^(?:early|exchange)-/.test(name));
    const preloads = early.map((name) => `<link rel="modulepreload" href="/${page}/${name}">`);
    const head = `<!doctype html><title>${page}</title><link rel="icon" href="data:,">${preloads.join('')}`;
    await writeFile(
      join(PAGES, page, 'index.html'),
      `${head}<script type="module" src="/${page}/page.js"></script>`,
    );
  }
  await buildWorker('worker', 'offstage-transform');
  for (const { page, worker } of [...BOOTS, ...OUTBOXES]) if (worker) await buildWorker(worker, page);
}

/**
 * @param {string} source
 * @param {string} page Whose worker it is.
 */
async function buildWorker(source, page) {
  const [worker] = await bundle(join(SOURCES, `${source}.js`));
  await writeFile(join(PAGES, page, 'worker.js'), worker?.code ?? '');
}

/**
 * What an app's bundler makes of a module: minified, for production.
 *
 * @param {string} input Path of a module, or of none where `code` is given.
 * @param {{ code?: string, keep?: boolean, external?: readonly string[] }} [options] `keep`: what the module exports stays;
 *   `external`: packages that are left out.
 * @returns {Promise<{ fileName: string, code: string, isEntry: boolean, isDynamicEntry: boolean, imports: string[] }[]>}
 */
export async function bundle(input, { code, keep = false, external = [] } = {}) {
  const { build } = await import('vite');
  const made = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [fromInstalled(input, code)],
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      // Where an app loads a part of itself later, vite's own helper would be counted too.
      modulePreload: false,
      rolldownOptions: {
        input,
        external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        ...(keep && { preserveEntrySignatures: 'strict' }),
        output: { entryFileNames: 'page.js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  const { output } = Array.isArray(made) ? made[0] : made;
  return output.flatMap((part) => (part.type === 'chunk' ? [part] : []));
}

/**
 * @param {string} input
 * @param {string | undefined} code
 */
function fromInstalled(input, code) {
  const importers = [input, SOURCES];
  const ours = {
    offstage: 'main',
    'offstage/list': 'main/list',
    'offstage/fw': 'main/fw',
    'offstage/worker': 'worker',
  };
  return {
    name: 'installed-peers',
    enforce: /** @type {const} */ ('pre'),
    async resolveId(id, importer, options) {
      if (id === input) return input;
      if (!/^[a-z@]/.test(id) || !importers.some((each) => importer?.startsWith(each))) return null;
      if (id in ours) return join(ROOT, 'dist', ours[id], 'index.js');
      return this.resolve(id, join(INSTALLED, 'index.js'), { ...options, skipSelf: true });
    },
    load: (id) => (id === input ? (code ?? null) : null),
  };
}

/** The version of the library itself. */
export async function ownVersion() {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version;
}
