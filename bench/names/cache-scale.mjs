import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, median, whole } from '../figures.mjs';

export const title = 'What it costs that much is stored';

export const how = `One page fills the cache with small answers (50 bytes, with an ETag) in bursts of 2,000 calls at once, to the
size that the row names. Then it makes calls for what is stored: ten at once right after the last burst, ten at once 3 s later,
and one after the other; and has ten polls of 100 ms, whose ticks are counted. CPU is that of all processes of the browser. An
answer counts for 1 KiB more than its bytes, so of 100,000 about 62,000 stay. The long run has twenty polls of 100 ms and 50 new
URLs a second; heaps are taken after a forced collection. \`--minutes 60\` makes it an hour.`;

const BURST = 2_000;
const SINGLE = 40;
const POLLED = 4_000;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const samples = [];
  for (const size of plan.sizes) {
    for (let round = 1; round <= plan.rounds; round += 1) {
      plan.tell(`cache-scale: ${whole(size)} answers, round ${round} of ${plan.rounds}`);
      const one = await plan.attempt({ name: `${whole(size)} answers` }, () => playSize(plan, size));
      if (one) samples.push({ size, ...one });
    }
  }
  const of = (size, key) => median(samples.filter((each) => each.size === size).map((each) => each[key]));
  const long = await playLong(plan);
  const [least] = plan.sizes;
  const most = plan.sizes.at(-1);
  const row = (size) => [
    whole(size),
    ...['atOnce', 'later', 'single', 'cpuOfCalls', 'ticks', 'cpuOfPolls'].map((key) => brief(of(size, key))),
  ];
  const ratio = ['atOnce', 'later', 'single', 'cpuOfCalls', 'ticks', 'cpuOfPolls'].map((key) =>
    brief(of(most, key) / of(least, key)),
  );
  return {
    tables: [
      {
        title: 'By how much is stored',
        head: [
          'answers',
          'ten calls at once, ms',
          'the same 3 s later, ms',
          'one call, ms',
          'CPU of these calls, ms',
          'ticks a second',
          'CPU of a tick, ms',
        ],
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
    for (let from = 0; from < size; from += BURST)
      await page.evaluate(`bench.burst(${from}, ${Math.min(BURST, size - from)})`, 120_000);
    // Those asked for last are stored for sure: of many, the first have made room.
    const known = Math.min(size, 10_000);
    const from = size - known;
    const atOnce = await page.evaluate(`bench.ten(${from}, ${known}, 1)`, 120_000);
    await sleep(3_000);
    const later = await page.evaluate(`bench.ten(${from}, ${known}, 2)`, 120_000);
    const beforeCalls = browser.cpu();
    const single = median(await page.evaluate(`bench.sequence(${from}, ${known}, ${SINGLE})`, 120_000));
    const cpuOfCalls = ((browser.cpu() - beforeCalls) * 1_000) / SINGLE;
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
    return { atOnce, later, single, cpuOfCalls, ticks: counted / seconds, cpuOfPolls };
  });
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
