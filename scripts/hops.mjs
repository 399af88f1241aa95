// `npm run hops`: how much of this code one call and one tick of a poll pass through, once everything is warm. The
// figures do not depend on the machine.
//
//   one way         functions of ours on the way from `resource.get()` to `fetch`: those on the stack when the page posts
//                   its message, and those on the stack when the engine calls `fetch`, across promises
//   there and back  files of ours of which any function runs, from the call until its result is there (V8's precise
//                   coverage)
//   a tick          the same for one tick of a poll, from its timer to the page's event
//
// `npm run hops -- --list` prints the functions and the files.

import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { mark } from './hops/mark.mjs';
import { transform } from 'esbuild';
import { ROOT, runAsProgram } from './run.mjs';

const CACHE = join(ROOT, '.cache', 'hops');
const FLOORS = ['shared', 'worker', 'main'];

await runAsProgram(import.meta.url, async () => {
  const lists = process.argv.includes('--list');
  await compile();
  const server = await serve();
  try {
    const { way, call, tick } = await measure(`http://127.0.0.1:${server.address().port}`);
    report('a call, one way', 'functions', way, lists);
    report('a call, there and back', 'files', call, lists);
    report('a tick', 'files', tick, lists);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

function report(what, of, all, lists) {
  console.log(`${what}: ${all.length} ${of}`);
  if (lists) for (const each of all) console.log(`  ${each}`);
}

/** Each source file by itself, as JavaScript, so that coverage can tell files apart. */
async function compile() {
  await rm(CACHE, { recursive: true, force: true });
  for (const floor of FLOORS) await compileFolder(floor);
  await symlink(join(ROOT, 'node_modules'), join(CACHE, 'node_modules'));
}

async function compileFolder(folder) {
  await mkdir(join(CACHE, folder), { recursive: true });
  for (const entry of await readdir(join(ROOT, 'src', folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await compileFolder(path);
    else if (/(?<!\.test|\.fixture|\.d)\.ts$/.test(entry.name)) await compileFile(path);
  }
}

async function compileFile(path) {
  const source = await readFile(join(ROOT, 'src', path), 'utf8');
  const { code } = await transform(source, { loader: 'ts', target: 'es2023' });
  const imports = code.replace(/(from |import |import\()(["'])(\.[^"']+)\.ts\2/g, '$1$2$3.mjs$2');
  await writeFile(join(CACHE, path.replace(/\.ts$/, '.mjs')), imports);
}

function serve() {
  const server = createServer((request, response) => {
    const body = JSON.stringify({ url: request.url });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function measure(origin) {
  const { connect, Resource } = await import(pathToFileURL(join(CACHE, 'main/index.mjs')).href);
  const connection = connect({ host: 'page' });
  const photo = new Resource(
    { get: { method: 'GET', url: '/photo/{id}/{size=medium}' } },
    { connection, baseUrl: origin },
  );
  for (const id of [1, 1, 1]) await photo.result(photo.get({ id }));
  const way = await wayOf(photo);
  const coverage = await startCoverage();
  const call = await measureCall(photo, coverage);
  const tick = await measureTick(photo, coverage);
  photo.dispose();
  connection.close();
  return { way, call, tick };
}

/** The functions on the way of a call to the network: the page's, then the engine's. */
async function wayOf(photo) {
  const watcher = new Worker(new URL('hops/stacks.mjs', import.meta.url));
  const stacks = [];
  await new Promise((resolve) => {
    watcher.on('message', (message) => (message === 'ready' ? resolve() : stacks.push(message)));
  });
  const { fetch } = globalThis;
  const before = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'postMessage');
  let isPosted = false;
  MessagePort.prototype.postMessage = function post(...args) {
    // Only the call itself: what the engine posts back goes the other way.
    isPosted ||= mark();
    return before.value.apply(this, args);
  };
  globalThis.fetch = (...args) => {
    mark();
    return fetch(...args);
  };
  await photo.result(photo.get({ id: 1 }));
  globalThis.fetch = fetch;
  Object.defineProperty(MessagePort.prototype, 'postMessage', before);
  watcher.postMessage('end', []);
  await once(watcher, 'exit');
  return stacks.flatMap((functions) => functions.toReversed());
}

async function measureCall(photo, coverage) {
  await coverage.take();
  await photo.result(photo.get({ id: 1 }));
  return filesOf(await coverage.take());
}

/** The third tick: what only the first ones do has been done. */
async function measureTick(photo, coverage) {
  const ticks = [];
  const third = new Promise((resolve) => {
    photo.addListener('getSuccess', async () => {
      ticks.push(await coverage.take());
      if (ticks.length === 3) resolve();
    });
  });
  const loop = photo.poll('get', { id: 1 }, { interval: 200 });
  await third;
  loop.stop();
  return filesOf(ticks.at(-1));
}

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** The functions of ours that have run since the last time, each with its file's URL. */
    async take() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result
        .filter(({ url }) => url.includes('/.cache/hops/') && !url.includes('/node_modules/'))
        .flatMap(({ url, functions }) => functions.filter(hasRun).map((each) => ({ url, ...each })));
    },
  };
}

function hasRun({ ranges: [whole] }) {
  return whole.count > 0;
}

function filesOf(functions) {
  const files = new Set(functions.map(({ url }) => url.split('/.cache/hops/')[1].replace(/\.mjs$/, '.ts')));
  return [...files].toSorted((one, other) => one.localeCompare(other));
}
