import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, median, medianOf, whole } from '../figures.mjs';

export const title = 'What watched queries cost';

export const how = `A page watches so many queries of 50 bytes each. Then one of them is asked again, one time after the other; the
main thread is what the page used meanwhile, by the number of these answers, less what it uses at rest. TanStack Query has as
many observers, each with a key of its own. Equal calls are made in one turn of the event loop, for a URL that was not asked
for before; the time is until the last of them is answered, beside one call alone. Rounds are medians.`;

const LIBRARIES = [
  { name: 'Offstage', page: 'queries' },
  { name: 'TanStack Query', page: 'queries-tanstack' },
];

const EQUAL = 100;
const SETTLE = 500;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const counts = plan.short ? [1, 200] : [1, 1_000];
  const answers = plan.short ? 20 : 100;
  const samples = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    plan.tell(`queries: round ${round} of ${plan.rounds}`);
    for (const library of LIBRARIES) {
      for (const count of counts) {
        const one = await plan.attempt(library, () => playWatched(plan, library, count, answers));
        if (one) samples.push({ library: library.name, count, ...one });
      }
    }
  }
  const equal = await plan.attempt({ name: 'equal calls' }, () => playEqual(plan));
  const of = (library, count, key) => medianOf(samples, { library, count }, key);
  return {
    tables: [
      {
        title: 'Main thread of one answer, ms, by how many queries are watched',
        head: ['', ...counts.map(whole), 'told by each answer'],
        rows: LIBRARIES.map(({ name }) => [
          name,
          ...counts.map((count) => brief(of(name, count, 'busy'))),
          brief(of(name, counts.at(-1), 'told')),
        ]),
      },
      {
        title: `${EQUAL} equal calls in one turn`,
        head: ['one call, ms', `${EQUAL} calls, ms`, 'times as long', 'requests'],
        rows: equal
          ? [[brief(equal.one), brief(equal.many), brief(equal.many / equal.one), whole(equal.requests)]]
          : [],
      },
    ],
    charts: [],
    faults: samples.flatMap(({ errors }) => errors.slice(0, 1)),
    raw: { samples, equal },
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {{ page: string }} library
 * @param {number} count
 * @param {number} answers
 */
function playWatched({ server }, { page: name }, count, answers) {
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/${name}/`);
    await page.evaluate('bench.prepare()');
    await page.evaluate(`bench.watch(${count})`, 120_000);
    await page.evaluate(`bench.refresh(${answers})`, 120_000);
    await page.send('HeapProfiler.collectGarbage');
    await sleep(SETTLE);
    const atRest = await page.spent();
    await sleep(SETTLE);
    const [before, told] = [await page.spent(), await page.evaluate('bench.told')];
    await page.evaluate(`bench.refresh(${answers})`, 120_000);
    await sleep(SETTLE);
    const after = await page.spent();
    const idle = before.busy - atRest.busy;
    return {
      busy: Math.max(0, after.busy - before.busy - idle) / answers,
      told: ((await page.evaluate('bench.told')) - told) / answers,
      errors: await page.evaluate('bench.errors'),
    };
  });
}

/** @param {import('../plan.mjs').Plan} plan */
function playEqual({ server, short }) {
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/queries/`);
    await page.evaluate('bench.prepare()');
    const rounds = short ? 5 : 30;
    const times = { one: [], many: [] };
    let requests = 0;
    // The first rounds are not counted: the page's code is compiled meanwhile.
    for (let round = -5; round < rounds; round += 1) {
      const one = await page.evaluate(`bench.equal('one-${round}', 1)`);
      const before = server.small;
      const many = await page.evaluate(`bench.equal('many-${round}', ${EQUAL})`);
      if (round < 0) continue;
      times.one.push(one);
      times.many.push(many);
      requests = Math.max(requests, server.small - before);
    }
    return { one: median(times.one), many: median(times.many), requests };
  });
}
