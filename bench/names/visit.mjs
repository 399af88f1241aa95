import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, medianOf } from '../figures.mjs';
import { Line } from '../line.mjs';
import { VISITS } from '../peers.mjs';

export const title = 'How soon a visitor sees the first data';

export const how = `From the navigation to the first data, in a browser with an empty profile: the first visit. A second later
or more that tab is closed, the worker is stopped, and a second visit made. All of a browser's answers share a line that the
server slows down: \`slow\` takes 150 ms there and back and brings 200 bytes a millisecond, \`fast\` 20 ms and 2,000
bytes, \`loopback\` is as it is; a new connection costs one way there and back more. Scripts and data are compressed
(brotli), scripts kept by the browser's cache. A small answer of 40 bytes is not to be stored (\`no-store\`), a list of
1,000 rows (200 kB) may be.`;

const LINES = {
  slow: { latency: 150, rate: 200 },
  fast: { latency: 20, rate: 2_000 },
  loopback: { latency: 0, rate: 1_000_000 },
};

const WANTED = { 'small answer': '/small/first', list: '/list' };

/** Milliseconds between two visits: a worker is installed, and what was answered stored. */
const BETWEEN = 4_000;

/** Milliseconds in which a page has to show it. */
const LIMIT = 20_000;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const lines = plan.short ? ['fast'] : Object.keys(LINES);
  const samples = [];
  for (const line of lines) {
    for (let round = 1; round <= plan.rounds; round += 1) {
      for (const [what, path] of Object.entries(WANTED)) {
        for (const library of VISITS) {
          plan.tell(`visit: ${line}, ${what}, round ${round} of ${plan.rounds}, ${library.name}`);
          const one = await plan.attempt(library, () => playVisits(plan.server, library, LINES[line], path));
          if (one) samples.push({ line, what, library: library.name, ...one });
        }
      }
    }
  }
  const keys = { first: 'first visit', second: 'second visit' };
  const columns = Object.keys(WANTED).flatMap((what) => Object.keys(keys).map((key) => ({ what, key })));
  return {
    tables: lines.map((line) => ({
      title: `The ${line} line: from the navigation to the first data, ms`,
      head: ['library', ...columns.map(({ what, key }) => `${what}, ${keys[key]}`)],
      rows: VISITS.map(({ name: library }) => [
        library,
        ...columns.map(({ what, key }) => brief(medianOf(samples, { line, what, library }, key))),
      ]),
    })),
    charts: [],
    faults: samples.flatMap(({ errors }) => errors.slice(0, 1)),
    raw: { samples },
  };
}

/**
 * @param {import('../server.mjs').BenchServer} server
 * @param {import('../peers.mjs').Library} library
 * @param {import('../line.mjs').Speed} speed
 * @param {string} path
 */
function playVisits(server, { page: name }, speed, path) {
  server.load(1_000);
  const url = `${server.url}/${name}/#${path}`;
  return withBrowser(async (browser) => {
    server.line = new Line(speed);
    try {
      const first = await visit(browser, url);
      await sleep(BETWEEN);
      await first.page.send('ServiceWorker.enable');
      await first.page.send('ServiceWorker.stopAllWorkers');
      await first.page.close();
      await sleep(500);
      const second = await visit(browser, url);
      const errors = [...first.errors, ...second.errors].map((error) => `${name}: ${error}`);
      return { first: first.shownAt, second: second.shownAt, errors };
    } finally {
      server.line = null;
    }
  });
}

/**
 * @param {import('../browser.mjs').Browser} browser
 * @param {string} url
 */
async function visit(browser, url) {
  const page = await browser.open(url);
  const limit = performance.now() + LIMIT;
  let shownAt = null;
  while (shownAt === null && performance.now() < limit) {
    await sleep(50);
    shownAt = await page.evaluate('bench.shownAt');
  }
  if (shownAt === null) throw new Error(`Nothing is shown: ${await page.evaluate('bench.errors.join()')}`);
  return { page, shownAt, errors: await page.evaluate('bench.errors') };
}
