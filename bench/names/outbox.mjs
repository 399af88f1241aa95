import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, medianOf, whole } from '../figures.mjs';
import { Sender } from '../outbox/sender.mjs';
import { shortfalls } from '../outbox/verdict.mjs';
import { Writes } from '../outbox/writes.mjs';
import { OUTBOXES } from '../peers.mjs';

export const title = 'What becomes of writes that wait';

export const how = `A page makes 200 writes at once while its server is away, then the server comes back. Each write has a
key, and the server performs each key once. *Lost*: accepted, had no effect, and is not stored any more. *Performed
twice*: more than one effect. *Repeated requests*: requests for a write that had its effect already; without keys each would
be a second effect. Counts are sums of all rounds. A drain goes from the first request after the server is back to the last
effect; its time is a median. CPU is that of all processes of the browser meanwhile. Ours has four lanes, each in its order;
the second row has one lane, as the peers have. Ours stores with strict durability, the peers with the browser's relaxed one.
Workbox has the plugin and the route of its documentation. Its second row has an \`onSync\` of the app's own, which puts back
what is not answered with success and JSON. TanStack DB sends in the page, so that page is reloaded where the workers of the
others are stopped. After a failed sync event the browser waits for minutes. Here Workbox gets the next event after a second
of silence, and at once after a stop.`;

/** Stops in a drain, each after as many further effects. */
const STOPS = 9;

/** Milliseconds that an attempt takes where the sender is stopped, so that a stop finds one under way. */
const TAKES = 10;

/** Milliseconds that an answer takes of a server that stores each write before it answers, and of one that is far away besides. */
const STORING = 5;
const FAR = 20;

/** Milliseconds after which each lane has an attempt without an answer. */
const BLOCKED = 150;

/** For how many milliseconds a captive portal answers. */
const PORTAL = 3_000;

/** Milliseconds without a request after which the library is asked what it still has. */
const QUIET = 1_000;

/** Milliseconds within which all has arrived, and for which the server is away once the writes are accepted. */
const LIMIT = 120_000;
const AWAY = 1_000;

/**
 * `takes`: milliseconds that an attempt takes; `stop`: what becomes of the attempts under way as the sender is stopped.
 *
 * @type {readonly { name: string, caption: string, takes?: number, stop?: import('../outbox/writes.mjs').Fate, fate?: (writes: Writes) => Writes['fate'] }[]}
 */
const SCENARIOS = [
  { name: 'back', caption: 'The server comes back' },
  { name: 'stored', caption: `The same, where each answer takes ${STORING} ms`, takes: STORING },
  { name: 'far', caption: `The same, where each answer takes ${FAR} ms`, takes: FAR },
  { name: 'stops', caption: `The sender is stopped ${STOPS} times in each drain`, stop: 'performed' },
  {
    name: 'answers lost',
    caption: `${STOPS} stops in each drain, each with attempts that the server performs and whose answers never arrive`,
    stop: 'unheard',
  },
  {
    name: 'requests lost',
    caption: `${STOPS} stops in each drain, each with attempts that never reach the server`,
    stop: 'swallowed',
  },
  {
    name: 'busy',
    caption: 'A tenth of the writes is answered 503 at first',
    fate: () => (number, nth) => (number % 10 === 0 && nth === 1 ? 'busy' : 'performed'),
  },
  {
    name: 'portal',
    caption: `For ${PORTAL / 1_000} s a captive portal answers with 200 and HTML`,
    fate: (writes) => () => (writes.age < PORTAL ? 'portal' : 'performed'),
  },
];

const [PLAIN] = SCENARIOS;

/** The one whose drain is held against its aim: a server that answers in no time stores nothing. */
const AIMED = 'stored';

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const count = plan.short ? 40 : 200;
  const samples = [];
  const errors = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const scenario of SCENARIOS) {
      for (const library of OUTBOXES.filter(({ only = scenario.name }) => only === scenario.name)) {
        plan.tell(`outbox: ${scenario.name}, round ${round} of ${plan.rounds}, ${library.name}`);
        const one = await plan.attempt(library, () => playOnce(plan.server, library, scenario, count));
        if (one) samples.push(one.sample);
        errors.push(...(one?.errors.slice(0, 1) ?? []).map((error) => `${library.name}: ${error}`));
      }
    }
  }
  return {
    tables: SCENARIOS.map((scenario) => tableFor(scenario, samples)),
    charts: [
      {
        file: 'outbox',
        title: `Time to send ${count} waiting writes`,
        unit: 'ms',
        scale: 'linear',
        groups: [
          {
            name: '',
            bars: OUTBOXES.map(({ name: library }) => ({
              name: library,
              value: medianOf(samples, { library, scenario: PLAIN?.name }, 'drain'),
            })),
          },
        ],
      },
    ],
    faults: [...errors, ...shortfalls(samples, AIMED)],
    raw: { samples },
  };
}

/**
 * @param {typeof SCENARIOS[number]} scenario
 * @param {readonly import('../outbox/verdict.mjs').Sample[]} samples
 */
function tableFor({ name: scenario, caption }, samples) {
  const counts = ['accepted', 'lost', 'twice', 'repeated'];
  const of = (library, key) => medianOf(samples, { library, scenario }, key);
  const rows = OUTBOXES.flatMap(({ name: library }) => {
    const some = samples.filter((each) => each.library === library && each.scenario === scenario);
    if (some.length === 0) return [];
    const sums = counts.map((key) => some.reduce((sum, each) => sum + each[key], 0));
    const drain = of(library, 'drain');
    const figures = [drain, drain / of('Offstage', 'drain'), of(library, 'cpu')];
    return [[library, ...sums.map(whole), ...figures.map(brief)]];
  });
  const heads = ['accepted', 'lost', 'performed twice', 'repeated requests', 'drain, ms', 'times ours'];
  return { title: caption, head: ['', ...heads, 'CPU of a write, ms'], rows };
}

/**
 * @param {import('../server.mjs').BenchServer} server
 * @param {import('../peers.mjs').Queueing} library
 * @param {typeof SCENARIOS[number]} scenario
 * @param {number} count
 */
function playOnce(server, library, scenario, count) {
  return withBrowser(async (browser) => {
    const page = await browser.open(`${server.url}/${library.page}/`);
    const sender = new Sender(browser, page, library, server.url);
    await sender.start();
    await server.down();
    let accepted = 0;
    const writes = new Writes();
    try {
      accepted = await page.evaluate(`bench.queue(${count}, ${library.lanes})`);
      await sleep(AWAY);
    } finally {
      writes.fate = scenario.fate?.(writes) ?? writes.fate;
      writes.takes = scenario.takes ?? (scenario.stop ? TAKES : 0);
      server.writes = writes;
      await server.up();
    }
    const cpuBefore = browser.cpu();
    await sender.resume();
    const stops = scenario.stop ? await playStops(writes, sender, library, scenario.stop, count) : 0;
    const waiting = await settled(writes, sender, page, accepted);
    const { performed, twice, repeated, requests, drain } = writes;
    const cpu = ((browser.cpu() - cpuBefore) * 1_000) / count;
    const lost = accepted - performed - waiting;
    const counted = { accepted, waiting, lost, twice, repeated, requests, drain, cpu, stops };
    const what = { library: library.name, scenario: scenario.name, count, lanes: library.lanes };
    return { sample: { ...what, ...counted }, errors: await page.evaluate('bench.errors') };
  });
}

/**
 * @param {Writes} writes
 * @param {Sender} sender
 * @param {import('../peers.mjs').Queueing} library
 * @param {import('../outbox/writes.mjs').Fate} fate
 * @param {number} count
 * @returns {Promise<number>} How many stops there were.
 */
async function playStops(writes, sender, { lanes }, fate, count) {
  let stops = 0;
  for (let stop = 1; stop <= STOPS; stop += 1) {
    if (!(await writes.reached(Math.floor((stop * count) / (STOPS + 1)), LIMIT / 4))) break;
    if (fate !== 'performed') {
      writes.fate = () => fate;
      const until = performance.now() + BLOCKED;
      while (writes.unanswered < lanes && performance.now() < until) await sleep(2);
      // Nothing is sent any more: each lane waits for an answer.
      writes.fate = () => 'performed';
    }
    if (await sender.stop()) stops += 1;
  }
  return stops;
}

/**
 * Until all has arrived, or the library has nothing left.
 *
 * @param {Writes} writes
 * @param {Sender} sender
 * @param {import('../browser.mjs').Page} page
 * @param {number} accepted
 * @returns {Promise<number>} How many are stored still.
 */
async function settled(writes, sender, page, accepted) {
  const limit = performance.now() + LIMIT;
  while (performance.now() < limit && !(await writes.reached(accepted, QUIET))) {
    if (performance.now() - writes.lastRequestAt < QUIET) continue;
    if ((await page.evaluate('bench.waiting()')) === 0) break;
    await sender.nudge();
  }
  for (let tries = 0; tries < 20 && (await page.evaluate('bench.waiting()')) > 0; tries += 1)
    await sleep(100);
  return page.evaluate('bench.waiting()');
}
