// Makes dist/, what users install: declarations by tsc, JavaScript by vite. With --all also the test page and the demo.
// Checks what no compiler does: that a service worker runs as a classic script.

import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';
import { setup } from './setup.mjs';
import { forget, whenChanged } from './stamp.mjs';

const FLOORS = ['src/shared', 'src/worker', 'src/main'];
const LIBRARY = ['main', 'list', 'fw', 'worker', 'service-worker', 'website'];

/** What dist/ is made of. */
export const SOURCES = [
  'src',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
  'scripts/build.mjs',
  'scripts/script-types',
];

/** Makes dist/ unless it was made from these very sources: another command that is under way may stand on it. */
export async function readyLibrary() {
  await whenChanged('library', SOURCES, ['dist/main/index.js', 'dist/service-worker.js'], makeLibrary);
}

/** Makes dist/ from nothing. */
export async function buildLibrary() {
  await forget('library');
  await readyLibrary();
}

/**
 * One of the builds of vite.config.ts.
 *
 * @param {string} mode
 */
export async function bundle(mode) {
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'vite.config.ts'), mode });
}

/**
 * The page that the end-to-end tests drive, and an app's own worker, which stand on dist/; and a newer release of all to
 * stand beside it. Unless they were made from these very sources.
 */
export async function readyTestPage() {
  const outputs = [
    '.cache/e2e/offstage.js',
    '.cache/e2e/own-worker.js',
    '.cache/e2e/newer/service-worker.js',
  ];
  await whenChanged('test-page', [...SOURCES, 'e2e'], outputs, makeTestPage);
}

/** The demo: its app with the worker of its own, and its server. */
export async function buildDemo() {
  await forget('demo');
  for (const mode of ['demo', 'demo-worker', 'demo-server']) await bundle(mode);
  await checkServiceWorker('.cache/demo/service-worker.js');
}

async function makeLibrary() {
  await rm(join(ROOT, 'dist'), { recursive: true, force: true });
  await declarations();
  for (const mode of LIBRARY) await bundle(mode);
  await cp(join(ROOT, 'scripts', 'script-types'), join(ROOT, 'dist'), { recursive: true });
  await checkServiceWorker('dist/service-worker.js');
}

async function makeTestPage() {
  await rm(join(ROOT, '.cache', 'e2e'), { recursive: true, force: true });
  for (const mode of ['e2e', 'e2e-list', 'e2e-worker', 'e2e-newer', 'e2e-newer-worker']) await bundle(mode);
}

async function declarations() {
  const { code, output } = await run(tool('tsc'), ['-b', '--force', ...FLOORS]);
  if (code !== 0) throw new Stop(`${output}\nThe types do not fit: see above.`);
}

/**
 * A classic worker cannot parse `import` and `export` statements, and no service worker may call `import()`.
 *
 * @param {string} file
 */
async function checkServiceWorker(file) {
  const code = await readFile(join(ROOT, file), 'utf8');
  try {
    parseClassicScript(code);
  } catch (cause) {
    throw new Stop(`${file} does not run as a classic script: ${String(cause)}`);
  }
  if (/\bimport\s*\(/.test(code)) throw new Stop(`${file} loads a module, which a service worker cannot.`);
}

/** @param {string} code */
function parseClassicScript(code) {
  return new Script(code);
}

await runAsProgram(import.meta.url, async () => {
  await setup();
  await buildLibrary();
  if (!process.argv.includes('--all')) return;
  await forget('test-page');
  await readyTestPage();
  await buildDemo();
});
