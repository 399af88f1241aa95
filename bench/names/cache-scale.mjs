import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, median, whole } from '../figures.mjs';

export const title = 'What it costs that much is stored';

export const how = `One page fills the cache with small answers (50 bytes, with an ETag) in bursts of 2,000 calls at once, to the
size that the row names; of a size below 10,000, in five bursts. It makes calls for what is stored: ten at once right after each
of the last five bursts, ten at once 3 s later, and one after the other, the first two hundred not measured, nor four hundred before
each of the last bursts, since the browser has yet to compile for such calls what it compiled for the bursts; and has ten polls of 100 ms, whose ticks are counted. These calls ask for the hundred answers that came
last, which the worker knows from memory. Those one after the other come when all answers are older than ten seconds, so that
at each size it is written that the server confirmed them. The calls "from disk" ask a worker that was stopped and has just
started, each for another of the last ten thousand answers: whatever the size, the worker has to read each from the database,
and, since all are old again by then, has it written that they are confirmed. Three workers are asked, after a first one that is
not measured: what has just been filled, the browser's database puts in order once it is read. CPU is that of all processes of the browser. An answer counts for 1 KiB more than its bytes, so of 100,000 about 62,000 stay. The long run has
twenty polls of 100 ms and 50 new URLs a second; heaps are taken after a forced collection. \`--minutes 60\` makes it an hour.`;

const BURST = 2_000;

/** Calls one after the other: enough that their CPU, which is counted in hundredths of a second, says something. */
const SINGLE = 200;

/** Ten calls at once, so many times, before each of the last bursts. */
const WARM = 40;

/** The last bursts, after each of which ten calls are measured. */
const LAST = 5;

/** Workers that are asked for what they have to read from the database. */
const WORKERS = 3;

/** The same from disk. Each asks for another answer, for the second time it would come from memory. */
const SINGLE_FROM_DISK = 40;

/**
 * Milliseconds after which it is written that an answer is confirmed: sooner, that would say little more. Waiting so long
 * makes the answers of each size alike: those of a size that takes long to store are that old by themselves.
 */
const STALE = 11_000;
const POLLED = 4_000;

/** Answers that the worker knows from memory, of those that came last. */
const IN_MEMORY = 100;

/** Of many answers, the first have made room: these are stored for sure. */
const ON_DISK = 10_000;

/** The figures of each size, and the heads of their columns. */
const COLUMNS = {
  atOnce: 'ten calls at once, ms',
  later: 'the same 3 s later, ms',
  single: 'one call, ms',
  cpuOfCalls: 'CPU of a call, ms',
  tenFromDisk: 'ten calls at once from disk, ms',
  singleFromDisk: 'one call from disk, ms',
  cpuFromDisk: 'CPU of that, ms',
  ticks: 'ticks a second',
  cpuOfPolls: 'CPU of a tick, ms',
};

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const samples = [];
  // By turns, so that a machine that is slower for minutes is so for each size.
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const size of plan.sizes) {
      plan.tell(`cache-scale: ${whole(size)} answers, round ${round} of ${plan.rounds}`);
      const one = await plan.attempt({ name: `${whole(size)} answers` }, () => playSize(plan, size));
      if (one) samples.push({ size, ...one });
    }
  }
  const of = (size, key) => median(samples.filter((each) => each.size === size).map((each) => each[key]));
  const long = await playLong(plan);
  const [least] = plan.sizes;
  const most = plan.sizes.at(-1);
  const keys = Object.keys(COLUMNS);
  const row = (size) => [whole(size), ...keys.map((key) => brief(of(size, key)))];
  const ratio = keys.map((key) => brief(of(most, key) / of(least, key)));
  return {
    tables: [
      {
        title: 'By how much is stored',
        head: ['answers', ...Object.values(COLUMNS)],
        rows: [...plan.sizes.map(row), ['the last by the first', ...ratio]],
      },
      {
        title: `${brief(long.minutes)} minutes of 200 ticks and 50 new URLs a second, MB of heap`,
        head: ['', 'at a third', 'at the end'],
        rows: [
          ['page', brief(long.third.page), brief(long.end.page)],
          ['worker', brief(long.third.worker), brief(long.end.worker)],
        ],
      },
    ],
    charts: [],
    faults: long.faults,
    raw: { samples, long },
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {number} size
 */
function playSize({ server }, size) {
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/cache-scale/`);
    await page.evaluate('bench.prepare()');
    const burst = Math.min(BURST, Math.ceil(size / LAST));
    const latest = Math.min(burst, IN_MEMORY);
    const atOnce = [];
    for (let from = 0; from < size; from += burst) {
      const isLast = from + burst * LAST >= size;
      // Not measured: bursts ask for what is new, so the browser has yet to compile calls for what is stored.
      if (isLast) await page.evaluate(`bench.warm(${WARM})`, 120_000);
      await page.evaluate(`bench.burst(${from}, ${Math.min(burst, size - from)})`, 120_000);
      if (isLast) atOnce.push(await page.evaluate(`bench.ten(${from}, ${latest}, 1)`, 120_000));
    }
    const known = Math.min(size, IN_MEMORY);
    const from = size - known;
    await sleep(3_000);
    const later = await page.evaluate(`bench.ten(${from}, ${known}, 2)`, 120_000);
    await settled(browser);
    await sleep(STALE);
    // Not measured: the browser compiles for such calls meanwhile.
    await playSingle(browser, page, from, known, SINGLE);
    await sleep(STALE);
    const [single, cpuOfCalls] = await playSingle(browser, page, from, known, SINGLE);
    const fromDisk = [];
    for (let worker = 0; worker <= WORKERS; worker += 1) {
      await sleep(STALE);
      await restart(browser, page);
      fromDisk.push(await playFromDisk(browser, page, size, worker));
    }
    // Not measured: the database is put in order.
    fromDisk.shift();
    await page.evaluate('bench.startPolls(10)');
    await sleep(1_000);
    const [ticksBefore, cpuBefore, began] = [
      await page.evaluate('bench.ticks'),
      browser.cpu(),
      performance.now(),
    ];
    await sleep(POLLED);
    const counted = (await page.evaluate('bench.ticks')) - ticksBefore;
    const seconds = (performance.now() - began) / 1_000;
    const cpuOfPolls = ((browser.cpu() - cpuBefore) * 1_000) / Math.max(1, counted);
    return {
      atOnce: median(atOnce),
      later,
      single,
      cpuOfCalls,
      tenFromDisk: median(fromDisk.map(({ ten }) => ten)),
      singleFromDisk: median(fromDisk.map(({ single: time }) => time)),
      cpuFromDisk: median(fromDisk.map(({ cpu }) => cpu)),
      ticks: counted / seconds,
      cpuOfPolls,
    };
  });
}

/** The median time of a call, and its CPU, of calls one after the other. */
async function playSingle(browser, page, from, size, count) {
  const before = browser.cpu();
  const times = await page.evaluate(`bench.sequence(${from}, ${size}, ${count})`, 120_000);
  return [median(times), ((browser.cpu() - before) * 1_000) / count];
}

/** Measures calls to a worker that has just started and reads each answer from disk. Each `turn` asks for other answers. */
async function playFromDisk(browser, page, size, turn) {
  const stored = Math.min(size, ON_DISK);
  const [from, some] = [size - stored, stored - WORKERS];
  const ten = await page.evaluate(`bench.ten(${from}, ${stored}, ${turn})`, 120_000);
  const [single, cpu] = await playSingle(browser, page, from + turn, some, SINGLE_FROM_DISK);
  return { ten, single, cpu };
}

/** Stops the worker; the next one has started, and done what it does at its start, when this resolves. */
async function restart(browser, page) {
  await page.send('ServiceWorker.enable');
  await page.send('ServiceWorker.stopAllWorkers');
  await sleep(1_000);
  await page.evaluate("bench.ask('warm-0')", 120_000);
  await settled(browser);
}

/** Resolves when the browser has rested for a second. */
async function settled(browser) {
  let before = browser.cpu();
  for (let calm = 0; calm < 2;) {
    await sleep(500);
    const now = browser.cpu();
    calm = now - before <= 0.02 ? calm + 1 : 0;
    before = now;
  }
}

/** @param {import('../plan.mjs').Plan} plan */
async function playLong({ server, minutes, tell }) {
  tell(`cache-scale: ${brief(minutes)} minutes of polls and new URLs`);
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/cache-scale/`);
    await page.evaluate('bench.prepare()');
    await page.evaluate('bench.startPolls(20)');
    await page.evaluate('bench.startSupply(50)');
    const heaps = async () => ({
      page: (await page.heap()) / 1e6,
      worker: ((await (await browser.worker())?.heap()) ?? 0) / 1e6,
    });
    await sleep((minutes * 60_000) / 3);
    const third = await heaps();
    await sleep((minutes * 60_000 * 2) / 3);
    const end = await heaps();
    const errors = await page.evaluate('bench.errors');
    return { minutes, third, end, faults: errors.slice(0, 1).map((error) => `Long run: ${error}`) };
  });
}
