import { setTimeout as sleep } from 'node:timers/promises';
import { brief, medianOf, whole } from '../figures.mjs';
import { LIBRARIES, WINDOWS } from '../peers.mjs';
import { faultOf, onStage, paceOf } from '../stage.mjs';

export const title = 'What the data weighs';

export const how = `The JavaScript heap of the page, buffers included, after a forced collection, when it has polled the
list twice with a change each; and what of that was there before the list was asked for. The worker's own heap is told
beside it, where there is one. Lists with other content, or pages with other code, weigh otherwise.`;

const MB = 1e6;

/** And ours where the page has a window of the list. */
const ALL = [...LIBRARIES, ...WINDOWS.slice(0, 1)];

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const rows = Math.max(...plan.rows);
  const { interval, settle } = paceOf(rows);
  const samples = [];
  const faults = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const library of ALL) {
      plan.tell(`memory: ${whole(rows)} rows, round ${round} of ${plan.rounds}, ${library.name}`);
      plan.server.load(rows);
      const one = await plan.attempt(library, () =>
        onStage(plan.server, library, async (stage) => {
          const { browser, page, server } = stage;
          const before = await page.heap();
          server.plan('changed', 3);
          await page.evaluate(`void bench.start('/list', ${interval})`);
          await server.answers(3, 30_000 + interval * 6);
          await sleep(settle);
          const heap = await page.heap();
          const worker = (await (await browser.worker())?.heap()) ?? 0;
          return { before, heap, worker, fault: await faultOf(stage, `${whole(rows)} rows`) };
        }),
      );
      if (one?.fault) faults.push(one.fault);
      if (one) samples.push({ library: library.name, ...one });
    }
  }
  const of = (library, key) => medianOf(samples, { library }, key) / MB;
  return {
    tables: [
      {
        title: `With ${whole(rows)} rows (${brief(plan.server.list.body.length / MB)} MB of JSON), MB`,
        head: ['library', 'page', 'of it before the list', 'worker'],
        rows: ALL.map(({ name }) => [
          name,
          brief(of(name, 'heap')),
          brief(of(name, 'before')),
          of(name, 'worker') > 0 ? brief(of(name, 'worker')) : 'none',
        ]),
      },
    ],
    charts: [],
    faults,
    raw: { samples },
  };
}
