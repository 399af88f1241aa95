import { setTimeout as sleep } from 'node:timers/promises';
import { brief, medianOf, whole } from '../figures.mjs';
import { LIBRARIES, WINDOWS } from '../peers.mjs';
import { faultOf, onStage, paceOf, spentDuring } from '../stage.mjs';

export const title = 'The first delivery of a list';

export const how = `From the call that starts to poll, in a page that has loaded and connected, until it has the whole list
(of windows: the first 50 rows, and the number of all) and is at rest. A later window is one in a page that has had another, of
another list. Main thread as for a tick; the time until the data is there includes the request over loopback; the longest
task comes from a trace in a round of its own.`;

/** Nothing else shall fall into it. */
const INTERVAL = 600_000;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const samples = [];
  const faults = [];
  const sizes = plan.rows.filter((rows) => rows >= 10_000);
  const libraries = [...LIBRARIES, ...WINDOWS];
  for (const rows of sizes) {
    for (let round = 0; round <= plan.rounds; round += 1) {
      for (const library of libraries) {
        plan.tell(`first: ${whole(rows)} rows, round ${round} of ${plan.rounds}, ${library.name}`);
        plan.server.load(rows);
        const one = await plan.attempt(library, () =>
          onStage(plan.server, library, async (stage) => {
            const sample = await (round === 0 ? trace(stage, rows) : deliver(stage, rows));
            const fault = await faultOf(stage, `first delivery of ${whole(rows)} rows`);
            return { ...sample, rows, library: library.name, fault };
          }),
        );
        if (one?.fault) faults.push(one.fault);
        if (one) samples.push(one);
      }
    }
  }
  const cell = (library, rows, key) => brief(medianOf(samples, { library, rows }, key));
  const head = ['library', ...sizes.map((rows) => `${whole(rows)} rows`)];
  const tables = [
    ['busy', 'Main thread, ms'],
    ['cpu', 'Main thread, ms of CPU'],
    ['longest', 'Longest task, ms'],
    ['there', 'Until the data is there, ms'],
  ].map(([key, name]) => ({
    title: name,
    head,
    rows: libraries.map((library) => [library.name, ...sizes.map((rows) => cell(library.name, rows, key))]),
  }));
  const charts = [
    {
      file: 'first',
      title: 'Main thread, first delivery',
      unit: 'ms',
      groups: sizes.map((rows) => ({
        name: `${whole(rows)} rows`,
        bars: libraries.map(({ name: library }) => ({
          name: library,
          value: medianOf(samples, { library, rows }, 'busy'),
        })),
      })),
    },
  ];
  return { tables, charts, faults, raw: { samples } };
}

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 */
async function deliver(stage, rows) {
  let there = 0;
  const spent = await spentDuring(stage, paceOf(rows).settle, async () => {
    const began = performance.now();
    await stage.page.evaluate(`bench.first('/list', ${INTERVAL})`, 30_000);
    there = performance.now() - began;
  });
  return { ...spent, there };
}

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 */
async function trace({ browser, page }, rows) {
  const longest = await browser.longestTask(page, async () => {
    await page.evaluate(`bench.first('/list', ${INTERVAL})`, 30_000);
    await sleep(paceOf(rows).settle);
  });
  return { longest };
}
