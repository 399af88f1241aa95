import { setTimeout as sleep } from 'node:timers/promises';
import { brief, medianOf } from '../figures.mjs';
import { LOOPS } from '../peers.mjs';
import { faultOf, onStage, spentDuring } from '../stage.mjs';

export const title = 'What many polls cost';

export const how = `One page polls so many URLs once a second each. Each URL has its own list of 100 rows, about 20 kB, and
one row changes with each answer. The polls begin one after the other within a second, so that their requests are spread.
The first table is of pages that poll nothing. The server sends an ETag, and \`Cache-Control: no-cache\` or \`no-store\`. CPU
is user and system time, from /proc. The browser is the whole tree of its processes, the renderer is the page and the service
worker together, and the services are the network and the storage. Main thread: Chromium's TaskDuration, and its ThreadTime,
the part of that in which the thread had a core. What two readings cost an idle page is taken off. Ticks are the times that
the page was given new data. A reading lasts 10 s and begins when the page is 13 s old, because Chromium does some work of
its own in any page before and after that. When the reading is over, the changes end, and the data of all lists is compared.`;

const INTERVAL = 1_000;
const ROWS = 100;

/** Milliseconds after the last change until every poll has brought it. */
const SETTLE = 3_000;

const FIGURES = {
  browser: 'browser, ms of CPU',
  renderer: 'renderer, ms of CPU',
  main: "browser's own process, ms of CPU",
  services: 'services, ms of CPU',
  busy: 'main thread, ms',
  cpu: 'main thread, ms of CPU',
  ticks: 'ticks',
};

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const scenes = [
    { count: 0, caching: 'no-cache' },
    ...(plan.short ? [2, 10] : [10, 90]).flatMap((count) =>
      ['no-cache', 'no-store'].map((caching) => ({ count, caching })),
    ),
  ];
  const samples = [];
  const faults = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const scene of scenes) {
      for (const library of LOOPS) {
        plan.tell(
          `loops: ${scene.count}, ${scene.caching}, round ${round} of ${plan.rounds}, ${library.name}`,
        );
        plan.server.load(ROWS, scene);
        const one = await plan.attempt(library, () =>
          onStage(plan.server, library, (stage) => play(stage, scene, plan)),
        );
        if (!one) continue;
        if (one.fault) faults.push(one.fault);
        samples.push({ library: library.name, ...scene, ...one });
      }
    }
  }
  return {
    tables: scenes.map(({ count, caching }) => ({
      title: `Each second, with ${count} polls a second and Cache-Control: ${caching}`,
      head: ['library', ...Object.values(FIGURES)],
      rows: LOOPS.map(({ name: library }) => [
        library,
        ...Object.keys(FIGURES).map((key) => brief(medianOf(samples, { library, count, caching }, key))),
      ]),
    })),
    charts: [],
    faults,
    raw: { samples },
  };
}

/**
 * @param {import('../stage.mjs').Stage} stage
 * @param {{ count: number, caching: string }} scene
 * @param {import('../plan.mjs').Plan} plan
 */
async function play(stage, { count, caching }, { short }) {
  const { server, browser, page, openedAt } = stage;
  const { age, lasts } = short ? { age: 5_000, lasts: 3_000 } : { age: 13_000, lasts: 10_000 };
  server.plan('changed', 10_000);
  for (let n = 0; n < count; n += 1) {
    await page.evaluate(`void bench.start('/list/${n}', ${INTERVAL})`);
    await sleep(INTERVAL / count);
  }
  await sleep(Math.max(0, openedAt + age - performance.now()));
  const [before, told, began] = [cpuOf(browser), await page.evaluate('bench.ticks'), performance.now()];
  const thread = await spentDuring(stage, 0, () => sleep(lasts));
  const [after, toldSince] = [cpuOf(browser), (await page.evaluate('bench.ticks')) - told];
  const seconds = (performance.now() - began) / 1_000;
  // The polls go on, and bring what the last changes made.
  server.plan('changed', 0);
  await sleep(SETTLE);
  const fault = await faultOf(stage, `${count} polls, ${caching}`);
  const processes = Object.keys(before).map((name) => [
    name,
    ((after[name] - before[name]) * 1_000) / seconds,
  ]);
  return {
    ...Object.fromEntries(processes),
    busy: thread.busy / seconds,
    cpu: thread.cpu / seconds,
    ticks: toldSince / seconds,
    fault,
  };
}

/**
 * CPU seconds so far.
 *
 * @param {import('../browser.mjs').Browser} browser
 */
function cpuOf(browser) {
  return {
    browser: browser.cpu(),
    renderer: browser.cpu('renderer'),
    main: browser.cpu('browser'),
    services: browser.cpu('utility'),
  };
}
