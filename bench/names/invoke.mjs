import { withBrowser } from '../browser.mjs';
import { brief, median, medianOf, quantile, whole } from '../figures.mjs';

export const title = 'What a call costs';

export const how = `One page, one call after the other: medians of all rounds together. The bare message is
\`registration.active.postMessage\` and an answer of two lines in the very same worker; relayed is the page's request by two
lines more, which is the least that a worker in between costs. A refusal is a call whose URL the
worker finds to lead out of its base: all of a call but the request. \`sent\` is the event of that name, when the headers of
the answer are there. Calls and the page's own fetch ask for the same 50 bytes over loopback. In the burst all are called in
one turn of the event loop, calls with a result each for a URL of its own. Rejected are those that came to nothing: Chromium
gives up requests of one renderer beyond a limit of its own (net::ERR_INSUFFICIENT_RESOURCES).`;

const WAYS = [
  ['message', 'bare message, there and back'],
  ['refusal', 'call → refusal by the worker'],
  ['sent', 'call → sent'],
  ['result', 'call → result'],
  ['relay', 'bare message → relayed fetch'],
  ['fetch', "the page's own fetch"],
];
const BURSTS = [
  ['refusal', 'call → refusal by the worker'],
  ['result', 'call → result'],
  ['fetch', "the page's own fetch"],
];

/** The ways take turns within a round, for a machine is not the same all the time. */
const TURNS = 4;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const count = plan.short ? 40 : 200;
  const size = 5_000;
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(WAYS.map(([way]) => [way, []]));
  const bursts = [];
  const faults = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    plan.tell(`invoke: round ${round} of ${plan.rounds}`);
    await plan.attempt({ name: 'Offstage' }, () =>
      withBrowser(async (browser) => {
        const page = await browser.open(`${plan.server.url}/invoke/`);
        await page.evaluate('bench.prepare()');
        for (let turn = 0; turn < TURNS; turn += 1) {
          for (const [way = ''] of WAYS) {
            times[way]?.push(...(await page.evaluate(`bench.sequence('${way}', ${count / TURNS})`)));
          }
        }
      }),
    );
    for (const [way = ''] of BURSTS) {
      const burst = await plan.attempt({ name: `burst of ${way}` }, () => playBurst(plan, way, size));
      if (burst) bursts.push({ way, ...burst });
    }
  }
  const of = (way, key) => medianOf(bursts, { way }, key);
  return {
    tables: [
      {
        title: 'One after the other, ms',
        head: ['way', 'median', '99 of 100'],
        rows: WAYS.map(([way = '', name = '']) => [
          name,
          brief(median(times[way] ?? [])),
          brief(quantile(times[way] ?? [], 0.99)),
        ]),
      },
      {
        title: `${whole(size)} at once`,
        head: [
          'way',
          'rejected',
          'µs each until called',
          'µs each until answered',
          'main thread, µs each',
          'reached the server',
        ],
        rows: BURSTS.map(([way = '', name = '']) => [
          name,
          whole(Math.round(of(way, 'refused'))),
          brief((of(way, 'called') / size) * 1_000),
          brief((of(way, 'total') / size) * 1_000),
          brief((of(way, 'busy') / size) * 1_000),
          whole(Math.round(of(way, 'reached'))),
        ]),
      },
    ],
    charts: [],
    faults,
    raw: { times, bursts },
  };
}

/**
 * @param {import('../plan.mjs').Plan} plan
 * @param {string} way
 * @param {number} size
 */
function playBurst({ server }, way, size) {
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/invoke/`);
    await page.evaluate('bench.prepare()');
    const small = server.small;
    const { busy } = await page.spent();
    const burst = await page.evaluate(`bench.burst('${way}', ${size})`, 120_000);
    return { ...burst, busy: (await page.spent()).busy - busy, reached: server.small - small };
  });
}
