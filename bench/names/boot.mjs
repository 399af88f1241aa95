import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowserOn, withProfile } from '../browser.mjs';
import { brief, medianOf, whole } from '../figures.mjs';
import { BOOTS } from '../peers.mjs';

export const title = 'How soon a page shows what was stored';

export const how = `A page has so many answers of 2 kB stored, each of a URL of its own. Then the server is stopped, and a new
browser process opens the page, again and again, which shows one of these answers. The time is from the navigation to that.
A service worker serves each page itself, from the same cache of files. TanStack Query keeps what is stored in IndexedDB by
idb-keyval: one record for each query, or one record with all. Heaps are taken a second later, after a forced collection.`;

const SETTLE = 1_000;

/** Milliseconds in which a page has to show it. */
const LIMIT = 60_000;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const sizes = plan.short ? [10, 1_000] : [10, 1_000, 10_000];
  const samples = [];
  for (const library of BOOTS) {
    for (const size of sizes) {
      plan.tell(`boot: ${library.name}, ${whole(size)} answers`);
      const some = await plan.attempt(library, () => playSize(plan, library, size));
      samples.push(...(some ?? []).map((one) => ({ library: library.name, size, ...one })));
    }
  }
  const table = (caption, key, unit = 1) => ({
    title: caption,
    head: ['', ...sizes.map(whole), 'the last by the first'],
    rows: BOOTS.map(({ name }) => {
      const values = sizes.map((size) => medianOf(samples, { library: name, size }, key) / unit);
      return [name, ...values.map(brief), brief(values.at(-1) / values[0])];
    }),
  });
  return {
    tables: [
      table('From the navigation to what is shown, ms, by how much is stored', 'shownAt'),
      table('Heap of the page, MB', 'page', 1_000_000),
      table('Heap of the page and its worker, MB', 'both', 1_000_000),
    ],
    charts: [],
    faults: samples.flatMap(({ errors }) => errors.slice(0, 1)),
    raw: { samples },
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {{ page: string }} library
 * @param {number} size
 */
function playSize({ server, rounds }, { page: name }, size) {
  const url = `${server.url}/${name}/`;
  return withProfile(async (profile) => {
    await withBrowserOn(profile, async (browser) => {
      const first = await browser.open(url);
      await first.evaluate('bench.prepare()');
      // Its worker keeps what this page loads.
      const page = await browser.open(url);
      await page.evaluate('bench.prepare()');
      await page.evaluate(`bench.fill(${size})`, 600_000);
      await sleep(SETTLE);
    });
    await server.down();
    const samples = [];
    try {
      for (let round = 0; round < rounds; round += 1) samples.push(await bootOnce(profile, url, size));
    } finally {
      await server.up();
    }
    return samples;
  });
}

/**
 * @param {string} profile
 * @param {string} url
 * @param {number} size
 */
function bootOnce(profile, url, size) {
  return withBrowserOn(profile, async (browser) => {
    const page = await browser.open(`${url}#item-${size >> 1}`);
    const limit = performance.now() + LIMIT;
    let shownAt = null;
    while (shownAt === null && performance.now() < limit) {
      await sleep(50);
      shownAt = await page.evaluate('bench.shownAt');
    }
    if (shownAt === null) throw new Error(`Of ${whole(size)} stored answers none is shown.`);
    await sleep(SETTLE);
    const worker = await browser.worker();
    const heap = await page.heap();
    return {
      shownAt,
      page: heap,
      both: heap + ((await worker?.heap()) ?? 0),
      errors: await page.evaluate('bench.errors'),
    };
  });
}
