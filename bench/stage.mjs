// One page of one library in a browser of its own, and what is read off it.

import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from './browser.mjs';

/**
 * @typedef {object} Stage
 * @property {import('./server.mjs').BenchServer} server
 * @property {import('./browser.mjs').Browser} browser
 * @property {import('./browser.mjs').Page} page
 * @property {import('./peers.mjs').Library} library
 * @property {number} openedAt When the page was, by `performance.now()`.
 * @property {{ busy: number, cpu: number }} idle What two readings cost where nothing happens between them.
 */

/**
 * How often a list is polled, and how long after an answer all that comes of it is over: a reading between two ticks
 * must find the page at rest, so the pause is shorter than the interval and longer than any library takes.
 *
 * @param {number} rows
 */
export function paceOf(rows) {
  if (rows <= 2_000) return { interval: 200, settle: 120 };
  if (rows <= 20_000) return { interval: 500, settle: 350 };
  return { interval: 1_800, settle: 1_300 };
}

/**
 * @template T
 * @param {import('./server.mjs').BenchServer} server
 * @param {import('./peers.mjs').Library} library
 * @param {(stage: Stage) => Promise<T>} use
 */
export function onStage(server, library, use) {
  return withBrowser(async (browser) => {
    const openedAt = performance.now();
    const page = await browser.open(`${server.url}/${library.page}/`);
    await page.evaluate('bench.prepare()');
    await sleep(300);
    const before = await page.spent();
    await sleep(300);
    const idle = difference(await page.spent(), before);
    return use({ server, browser, page, library, openedAt, idle });
  });
}

/**
 * Milliseconds of the main thread while `during` goes on and until it has settled.
 *
 * @param {Stage} stage
 * @param {number} settle
 * @param {() => Promise<unknown>} during
 */
export async function spentDuring({ page, idle }, settle, during) {
  const before = await page.spent();
  await during();
  await sleep(settle);
  const { busy, cpu } = difference(difference(await page.spent(), before), idle);
  return { busy: Math.max(0, busy), cpu: Math.max(0, cpu) };
}

/**
 * @param {Stage['idle']} one
 * @param {Stage['idle']} other
 */
function difference(one, other) {
  return { busy: one.busy - other.busy, cpu: one.cpu - other.cpu };
}

/**
 * What is wrong with the data of a page, or null: it is what the server has, byte for byte, and no error was thrown.
 *
 * @param {Stage} stage
 * @param {string} when
 */
export async function faultOf({ server, page, library }, when) {
  const errors = await page.evaluate('bench.errors');
  if (errors.length > 0) return `${library.name}, ${when}: ${errors[0]}`;
  const digest = await page.evaluate('bench.digest()');
  // Else the next reading would hold the collection of what the digest was made of.
  await page.send('HeapProfiler.collectGarbage');
  return digest === server.digest(library.shown)
    ? null
    : `${library.name}, ${when}: its data is not the server's.`;
}
