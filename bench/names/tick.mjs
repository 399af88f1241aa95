import { setTimeout as sleep } from 'node:timers/promises';
import { brief, median, medianOf, percent, quantile, whole } from '../figures.mjs';
import { LIBRARIES, WAYS } from '../peers.mjs';
import { faultOf, onStage, paceOf, spentDuring } from '../stage.mjs';

export const title = 'What one poll tick costs the page';

export const how = `A page polls one list of rows of about 206 bytes of JSON each, of about 100 where it has 20 rows. The server makes one change for each
request, or none. Main thread: Chromium's TaskDuration over several ticks, read between two of them and divided by their
number; CPU: its ThreadTime, the part of that in which the thread had a core, which other programs hardly change. What two
readings cost an idle page is taken off. Some ticks go before that are not measured. Nor is what Chromium does once in any
page, whatever it polls: a millisecond of work 10 s after it was opened, and a collection of its heap 30 to 34 s after, which
takes 50 ms where there are 100,000 rows. So readings begin when a page is 13 s old and end before it is 30, or begin when
it is 36. The data is compared after all ticks. A reading begins after an answer has settled and ends when the last one has,
so that it holds whole ticks. Longest task: from a trace of one more tick, which the other figures leave out. Rows kept, in
ticks of their own: those of the unchanged rows that are the very objects (\`===\`) they were before. Without a change the
server answers 304 to who asks with If-None-Match; the browser's cache does so for all, and hands the page the whole body.`;

/** @type {readonly { name: string, step: import('../server.mjs').Step | null }[]} */
const CASES = [
  { name: 'one row changed', step: 'changed' },
  { name: 'one inserted at the top', step: 'inserted' },
  { name: 'unchanged', step: null },
];

/**
 * How many ticks a reading has and how old a page is before the first, in milliseconds. So many that a collection which
 * comes every few ticks weighs what it weighs; at an age when Chromium does nothing in a page for its own sake. With
 * 100,000 rows ours cause a collection of 25 ms every 20 ticks or so, which three of them hardly ever hold.
 *
 * @param {number} rows
 */
function readingsOf(rows) {
  if (rows <= 2_000) return { ticks: 20, age: 13_000 };
  // Three readings do not fit in before the collection.
  return rows <= 20_000 ? { ticks: 6, age: 13_000 } : { ticks: 3, age: 36_000 };
}

/** @param {import('../plan.mjs').Plan} wish */
export async function measure(wish) {
  const plan = { ...wish, rows: [...wish.small, ...wish.rows] };
  /** @type {Sample[]} */
  const samples = [];
  const faults = [];
  for (const rows of plan.rows) {
    for (let round = 1; round <= plan.rounds; round += 1) {
      for (const library of rows === middleOf(plan) ? [...LIBRARIES, ...WAYS] : LIBRARIES) {
        plan.tell(`tick: ${whole(rows)} rows, round ${round} of ${plan.rounds}, ${library.name}`);
        plan.server.load(rows);
        const one = await plan.attempt(library, () =>
          onStage(plan.server, library, (stage) => playRound(stage, rows)),
        );
        faults.push(...(one?.faults ?? []));
        samples.push(...(one?.samples ?? []));
      }
    }
  }
  const calls = plan.short || plan.rows.includes(100_000) ? await measureCalls(plan, faults) : [];
  return {
    tables: [...tablesOf(plan, samples), ...callTable(calls)],
    charts: chartsOf(plan, samples),
    faults,
    raw: { samples, calls },
  };
}

/**
 * @typedef {object} Sample
 * @property {string} library
 * @property {number} rows
 * @property {string} name Of the case.
 * @property {number} busy Milliseconds a tick.
 * @property {number} cpu Those of them that the thread had a core.
 * @property {number} longest Milliseconds.
 * @property {number} kept Part of the unchanged rows.
 * @property {number} confirmed Part of the answers that were 304.
 */

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 */
async function playRound(stage, rows) {
  await begin(stage, rows);
  await sleep(Math.max(0, stage.openedAt + readingsOf(rows).age - performance.now()));
  // One after the other, with nothing between them that would leave something to be collected.
  const readings = [];
  for (const { step } of CASES) {
    // What came before is collected some seconds later: a heap with so many rows takes longer to search than a tick.
    await rest(stage, rows, rows > 20_000 ? 3 : 1);
    readings.push(await playTicks(stage, rows, step));
  }
  await rest(stage, rows);
  // All traces before the first count: that makes sets as large as the list, and their collection is no library's.
  const longest = [];
  for (const { step } of CASES) longest.push(await traceTick(stage, rows, step));
  const samples = [];
  for (const [index, { name, step }] of CASES.entries()) {
    const kept = await countKept(stage, rows, step);
    samples.push({
      library: stage.library.name,
      rows,
      name,
      ...readings[index],
      longest: longest[index],
      kept,
    });
  }
  const fault = await faultOf(stage, `${whole(rows)} rows, after all ticks`);
  return { samples, faults: fault ? [fault] : [] };
}

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 */
async function begin(stage, rows) {
  const { interval } = paceOf(rows);
  await stage.page.evaluate(`void bench.start('/list', ${interval})`);
  await rest(stage, rows, 2);
  // A poll goes on for hours: what its first ticks cost before the engine has compiled anything is not what it costs.
  const times = rows > 20_000 ? 3 : 8;
  stage.server.plan('changed', times);
  await rest(stage, rows, times);
}

/**
 * Until so many further ticks are over.
 *
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 */
async function rest({ server }, rows, ticks = 1) {
  const { interval, settle } = paceOf(rows);
  await server.answers(ticks, 20_000 + 4 * ticks * interval);
  await sleep(settle);
}

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 * @param {import('../server.mjs').Step | null} step
 */
async function playTicks(stage, rows, step) {
  const { server } = stage;
  const { interval, settle } = paceOf(rows);
  const { ticks: times } = readingsOf(rows);
  const before = server.confirmed;
  if (step) server.plan(step, times);
  const spent = await spentDuring(stage, settle, () => server.answers(times, 20_000 + 4 * times * interval));
  const confirmed = (server.confirmed - before) / times;
  return { busy: spent.busy / times, cpu: spent.cpu / times, confirmed };
}

/**
 * The longest task of a tick, in milliseconds.
 *
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 * @param {import('../server.mjs').Step | null} step
 */
async function traceTick(stage, rows, step) {
  if (step) stage.server.plan(step, 1);
  const longest = await stage.browser.longestTask(stage.page, () => rest(stage, rows));
  await rest(stage, rows);
  return longest;
}

/**
 * The part of the rows that a tick does not change which are the same objects after it.
 *
 * @param {import('../stage.mjs').Stage} stage
 * @param {number} rows
 * @param {import('../server.mjs').Step | null} step
 */
async function countKept(stage, rows, step) {
  const { page, server } = stage;
  const unchanged = server.list.length - (step === 'changed' ? 1 : 0);
  await page.evaluate('bench.remember()');
  if (step) server.plan(step, 1);
  await rest(stage, rows);
  return (await page.evaluate('bench.kept()')) / unchanged;
}

/**
 * Small calls of one tab while another's list ticks. The fetch of a page beside it has neither the worker nor the
 * other tab's main thread in its way.
 *
 * @param {import('../plan.mjs').Plan} plan
 * @param {string[]} faults
 */
async function measureCalls(plan, faults) {
  const rows = plan.short ? 10_000 : 100_000;
  const { interval } = paceOf(rows);
  const calls = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const library of LIBRARIES.filter(({ page }) => ['offstage', 'tanstack', 'fetch'].includes(page))) {
      plan.tell(`tick: calls of another tab, round ${round} of ${plan.rounds}, ${library.name}`);
      plan.server.load(rows);
      const one = await plan.attempt(library, () =>
        onStage(plan.server, library, async (stage) => {
          const other = await stage.browser.open(`${plan.server.url}/${library.page}/`, { newWindow: true });
          await other.evaluate('bench.prepare()');
          const alone = await other.evaluate('bench.calls(100, 10)');
          await begin(stage, rows);
          plan.server.plan('changed', 1_000);
          const until = plan.server.answered;
          const times = [];
          // So many calls that a few ticks fall among them, however long they take.
          while (plan.server.answered < until + 3 && times.length < 5_000) {
            times.push(...(await other.evaluate('bench.calls(20, 10)', interval * 20)));
          }
          plan.server.plan('changed', 0);
          await plan.server.answers(1, interval * 8);
          await sleep(paceOf(rows).settle);
          const fault = await faultOf(stage, 'while another tab called');
          return { alone, times, fault };
        }),
      );
      if (!one) continue;
      if (one.fault) faults.push(one.fault);
      const { alone, times } = one;
      calls.push({
        library: library.name,
        rows,
        alone: median(alone),
        median: median(times),
        p99: quantile(times, 0.99),
        worst: Math.max(...times),
      });
    }
  }
  return calls;
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {readonly Sample[]} samples
 */
function tablesOf(plan, samples) {
  const { rows } = plan;
  const bySize = (heading, cell) => ({
    title: heading,
    head: ['library', ...rows.map((count) => `${whole(count)} rows`)],
    rows: LIBRARIES.map(({ name: library }) => [
      library,
      ...rows.map((count) => cell({ library, rows: count })),
    ]),
  });
  const keptOf = (library, name) =>
    Math.min(
      ...samples.filter((each) => each.library === library && each.name === name).map(({ kept }) => kept),
    );
  return [
    ...CASES.flatMap(({ name }) => [
      bySize(`Main thread, ms a tick: ${name}`, (where) =>
        brief(medianOf(samples, { ...where, name }, 'busy')),
      ),
      bySize(`Main thread, ms of CPU a tick: ${name}`, (where) =>
        brief(medianOf(samples, { ...where, name }, 'cpu')),
      ),
      bySize(`Longest task, ms: ${name}`, (where) => brief(medianOf(samples, { ...where, name }, 'longest'))),
    ]),
    {
      title: 'Unchanged rows that kept their identity, the least of all sizes and rounds',
      head: ['library', ...CASES.map(({ name }) => name)],
      rows: LIBRARIES.map(({ name: library }) => [
        library,
        ...CASES.map(({ name }) => percent(keptOf(library, name))),
      ]),
    },
    wayTable(middleOf(plan), samples),
    bySize('Answers without a change that were 304', (where) =>
      percent(medianOf(samples, { ...where, name: 'unchanged' }, 'confirmed')),
    ),
  ];
}

/**
 * The size at which our own ways to poll are measured as well.
 *
 * @param {import('../plan.mjs').Plan} plan
 */
function middleOf({ rows }) {
  return rows.includes(10_000) ? 10_000 : rows[0];
}

/**
 * @param {number | undefined} rows
 * @param {readonly Sample[]} samples
 */
function wayTable(rows = 0, samples) {
  const [ours] = LIBRARIES;
  return {
    title: `Main thread, ms a tick, where the page hears of changes alone or something is made of the whole: ${whole(rows)} rows`,
    head: ['way', ...CASES.map(({ name }) => name), 'unchanged rows kept'],
    rows: [...(ours ? [ours] : []), ...WAYS].map(({ name: library }) => [
      library,
      ...CASES.map(({ name }) => brief(medianOf(samples, { library, rows, name }, 'busy'))),
      percent(medianOf(samples, { library, rows, name: 'one row changed' }, 'kept')),
    ]),
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {readonly Sample[]} samples
 */
function chartsOf({ rows }, samples) {
  return CASES.map(({ name, step }) => ({
    file: `tick-${step ?? 'unchanged'}`,
    title: `Main thread a poll tick: ${name}`,
    unit: 'ms',
    groups: rows.map((count) => ({
      name: `${whole(count)} rows`,
      bars: LIBRARIES.map(({ name: library }) => ({
        name: library,
        value: medianOf(samples, { library, rows: count, name }, 'busy'),
      })),
    })),
  }));
}

/** @param {readonly Awaited<ReturnType<typeof measureCalls>>[number][]} calls */
function callTable(calls) {
  const [first] = calls;
  if (!first) return [];
  const names = [...new Set(calls.map(({ library }) => library))];
  const worst = (library) =>
    Math.max(...calls.filter((each) => each.library === library).map((each) => each.worst));
  return [
    {
      title: `Small calls of one tab while another polls ${whole(first.rows)} changing rows, ms`,
      head: ['library', 'alone, median', 'median', '99 of 100', 'worst, median of rounds', 'worst of all'],
      rows: names.map((library) => [
        library,
        ...['alone', 'median', 'p99', 'worst'].map((key) => brief(medianOf(calls, { library }, key))),
        brief(worst(library)),
      ]),
    },
  ];
}
