import { setTimeout as sleep } from 'node:timers/promises';
import { brief, medianOf, whole } from '../figures.mjs';
import { Writes } from '../outbox/writes.mjs';
import { onStage, paceOf, spentDuring } from '../stage.mjs';

export const title = 'What writes cost that show before they are done';

export const how = `A page polls a list, and the server changes one row for each request. Ticks are measured as in \`tick\`, first without
writes. Then rows are written to, one after the other, by a server that wants other credentials: they wait. A write's main thread
is all that the page does for it, from the call until it is stored and acknowledged. Ticks are measured again while all of them
wait; after these ticks, so many of the written rows still show what was written. TanStack Query does it by its cache, as its
documentation has it; its server is busy, it tries again after two minutes, and nothing is stored.`;

const LIBRARIES = [
  { name: 'Offstage', page: 'optimistic' },
  { name: 'TanStack Query', page: 'optimistic-tanstack' },
];

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const rows = plan.short ? 1_000 : 10_000;
  const counts = plan.short ? [50] : [50, 1_000];
  const samples = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const library of LIBRARIES) {
      for (const count of counts) {
        plan.tell(`optimistic: round ${round} of ${plan.rounds}, ${library.name}, ${count} writes`);
        const one = await plan.attempt(library, () => playRound(plan, library, rows, count));
        if (one) samples.push({ library: library.name, count, ...one });
      }
    }
  }
  const of = (library, count, key) => medianOf(samples, { library, count }, key);
  return {
    tables: [
      {
        title: `${whole(rows)} rows; main thread, ms`,
        head: [
          '',
          'writes',
          'one write',
          'a tick without',
          'a tick under them',
          'times as long',
          'still shown',
        ],
        rows: LIBRARIES.flatMap(({ name }) =>
          counts.map((count) => [
            name,
            whole(count),
            brief(of(name, count, 'write')),
            brief(of(name, count, 'without')),
            brief(of(name, count, 'under')),
            brief(of(name, count, 'under') / of(name, count, 'without')),
            whole(of(name, count, 'shown')),
          ]),
        ),
      },
    ],
    charts: [],
    faults: samples.flatMap(({ errors }) => errors.slice(0, 1)),
    raw: { samples },
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {import('../peers.mjs').Library} library
 * @param {number} rows
 * @param {number} count
 */
function playRound({ server, short }, library, rows, count) {
  server.load(rows);
  const writes = new Writes();
  writes.fate = () => (library.page === 'optimistic' ? 'unauthorized' : 'busy');
  server.writes = writes;
  const ticks = short ? 3 : 6;
  const { interval, settle } = paceOf(rows);
  return onStage(server, library, async (stage) => {
    const { page } = stage;
    const tick = async (times) => {
      server.plan('changed', times);
      const spent = await spentDuring(stage, settle, () =>
        server.answers(times, 20_000 + 4 * times * interval),
      );
      return spent.busy / times;
    };
    await page.evaluate(`void bench.start('/list', ${interval})`);
    await tick(8);
    const without = await tick(ticks);
    const write = (from, to) =>
      page.evaluate(
        `(async () => {
          for (let n = ${from}; n < ${to}; n += 1) {
            bench.write(bench.rowId((n * 7) % ${rows}), n);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        })()`,
        120_000,
      );
    // The first are not measured: the page's code is compiled meanwhile.
    await write(0, 10);
    await sleep(settle);
    const spent = await spentDuring(stage, settle, () => write(10, count));
    await tick(3);
    const under = await tick(ticks);
    return {
      without,
      write: spent.busy / (count - 10),
      under,
      shown: await page.evaluate('bench.written()'),
      errors: await page.evaluate('bench.errors'),
    };
  });
}
