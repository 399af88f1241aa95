// Plays the benchmarks that are asked for, one after the other, and tells what came of them.

import { join } from 'node:path';
import { ROOT } from '../scripts/run.mjs';
import { withBrowser } from './browser.mjs';
import { PAGES, SERVICE_WORKER, buildPages, readyPeers } from './peers.mjs';
import { circumstances, textOf, write } from './report.mjs';
import { BenchServer } from './server.mjs';

/**
 * @param {ReturnType<typeof import('./plan.mjs').wishOf>} wish
 * @param {string} command
 * @returns {Promise<string[]>} What was wrong.
 */
export async function runBench(wish, command) {
  await readyPeers();
  await buildPages();
  const where = await circumstances(await withBrowser((browser) => browser.version()));
  const reports = [];
  for (const name of wish.names) {
    const report = await play(name, wish);
    if (!wish.json) console.log(textOf(report));
    reports.push(report);
  }
  if (wish.json) console.log(JSON.stringify({ command, ...where, reports }, null, 2));
  else console.log(`\n${where.date}, ${where.browser}, Node ${where.node}, ${where.machine}: ${command}`);
  if (wish.write) await write(join(ROOT, 'docs', 'benchmarks'), reports, where, command);
  return reports.flatMap(({ faults }) => faults);
}

/**
 * @param {string} name
 * @param {ReturnType<typeof import('./plan.mjs').wishOf>} wish
 * @returns {Promise<import('./report.mjs').Report>}
 */
async function play(name, { rows, small, rounds, sizes, minutes, short }) {
  const { title, how, measure } = await import(`./names/${name}.mjs`);
  const server = new BenchServer(PAGES, SERVICE_WORKER);
  await server.up();
  const failures = [];
  const began = performance.now();
  const plan = {
    server,
    rows,
    small,
    rounds,
    sizes,
    minutes,
    short,
    tell: (what) => console.error(what),
    attempt: async (library, act) => {
      try {
        return await act();
      } catch (error) {
        failures.push(`${library.name}, ${name}: ${error instanceof Error ? error.message : String(error)}`);
        console.error(failures.at(-1));
        return null;
      }
    },
  };
  try {
    const { tables, charts, faults, raw } = await measure(plan);
    const seconds = (performance.now() - began) / 1_000;
    const all = [...new Set([...failures, ...faults])];
    return {
      name,
      title,
      how,
      command: `npm run bench -- ${name}`,
      seconds,
      tables,
      charts,
      faults: all,
      raw,
    };
  } finally {
    await server.down();
  }
}
