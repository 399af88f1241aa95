// `npm run test:package`: installs the packed tarball into a fresh Vite app in strict TypeScript, as a user would,
// builds it and lets a Chromium fetch a photo through the service worker that came with the package.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildLibrary } from './build.mjs';
import { checkBundles } from './package-bundles.mjs';
import { checkPackage } from './package-lint.mjs';
import { ROOT, Stop, run, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

const APP = join(ROOT, 'scripts', 'fresh-app');
const PHOTO = { id: 1, title: 'Through the worker' };
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' };

async function testPackage() {
  await setup({ browsers: true });
  await step('build', buildLibrary);
  const tarball = await step('contents, publint, attw', checkPackage);
  const app = await mkdtemp(join(tmpdir(), 'offstage-app-'));
  try {
    await step('install the tarball into a fresh app', () => install(app, tarball.path));
    await step('types: page in strict TypeScript, libraries checked', () =>
      inApp(app, 'tsc', '-p', 'tsconfig.json'),
    );
    await step('types: worker of its own', () => inApp(app, 'tsc', '-p', 'tsconfig.worker.json'));
    await step('each subpath, bare and by name, bundled by vite and by esbuild', () => checkBundles(app));
    await step('vite build, page and worker', () => buildApp(app));
    await step('a photo through the ready-made worker', () => fetchPhoto(app, '/service-worker.js'));
    await step("a photo through the app's own worker", () => fetchPhoto(app, '/own-worker.js'));
  } finally {
    await rm(app, { recursive: true, force: true });
  }
}

/**
 * @template Result
 * @param {string} what
 * @param {() => Promise<Result>} work
 */
async function step(what, work) {
  const started = performance.now();
  const result = await work();
  console.log(`  ok ${what} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * @param {string} app
 * @param {string} tarball
 */
async function install(app, tarball) {
  await cp(APP, app, { recursive: true });
  await writeFile(
    join(app, 'package.json'),
    JSON.stringify({ name: 'fresh-app', private: true, type: 'module' }),
  );
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const tools = ['esbuild', 'typescript', 'vite'].map((name) => `${name}@${devDependencies[name]}`);
  await must(app, 'npm', ['install', '--no-audit', '--no-fund', tarball, ...tools]);
}

/** @param {string} app */
async function buildApp(app) {
  await inApp(app, 'vite', 'build');
  await inApp(app, 'vite', 'build', '--config', 'vite.worker.config.ts');
  await cp(join(app, 'node_modules/offstage/dist/service-worker.js'), join(app, 'dist/service-worker.js'));
}

/**
 * @param {string} app
 * @param {string} worker
 */
async function fetchPhoto(app, worker) {
  /** @type {{ url: string, byWorker: boolean }[]} */
  const asked = [];
  const server = await serve(app, asked);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: process.env['OFFSTAGE_CHROMIUM'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}/?worker=${worker}`);
    await page.waitForFunction(() => document.title !== '', null, { timeout: 15_000 });
    const title = await page.title();
    if (title !== PHOTO.title) throw new Stop(`The page got "${title}", not "${PHOTO.title}".`);
    if (!asked.some(({ url, byWorker }) => url === '/photo/1/medium' && byWorker)) {
      throw new Stop(`The worker did not ask for the photo; the server was asked: ${JSON.stringify(asked)}`);
    }
  } finally {
    await browser.close();
    server.close();
  }
}

/**
 * Serves the built app and the API that it asks.
 *
 * @param {string} app
 * @param {{ url: string, byWorker: boolean }[]} asked
 */
async function serve(app, asked) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/photo/')) {
      // A worker's fetch has its script as referrer, a page's fetch the page.
      asked.push({ url: pathname, byWorker: (request.headers.referer ?? '').endsWith('-worker.js') });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(PHOTO));
      return;
    }
    const path = pathname === '/' ? '/index.html' : pathname;
    const body = await readFile(join(app, 'dist', path)).catch(() => null);
    response.writeHead(body ? 200 : 404, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Stop('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}

/**
 * @param {string} app
 * @param {string} name
 * @param {...string} args
 */
function inApp(app, name, ...args) {
  return must(app, join(app, 'node_modules', '.bin', name), args);
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {readonly string[]} args
 */
async function must(cwd, command, args) {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Stop(`${output}\nFailed: ${[command, ...args].join(' ')}`);
}

await runAsProgram(import.meta.url, async () => {
  await testPackage();
  console.log('The package works in a fresh app.');
});
