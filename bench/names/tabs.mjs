import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, medianOf, whole } from '../figures.mjs';
import { LIBRARIES } from '../peers.mjs';

export const title = 'What many tabs cost';

export const how = `Tabs of one browser poll the same list of 1,000 rows once a second; one row of it changes each second.
Requests are counted at the server, CPU seconds are those of the whole tree of the browser's processes, from /proc. Visible
tabs have a window each; hidden ones are tabs of one window behind another that is shown. \`document.visibilityState\` is
asked and stands in the table. Once the last tab is open, the browser is left alone for a minute: it collects garbage in
every new page meanwhile, which costs more than any poll. Then visible tabs are read over as many times 10 s as there are
rounds, hidden ones over one minute. Idle tabs have loaded a page and do nothing. All libraries have their defaults:
Offstage asks for hidden tabs once a minute at most, TanStack Query does not. Tabs up to date are those that have what the
server has, 3 s after its last change; of hidden ones, a minute later.`;

const INTERVAL = 1_000;
const ROWS = 1_000;

/** Milliseconds until tabs have the last change: hidden ones are asked for once a minute. */
const SETTLED = { visible: 3_000, hidden: 63_000 };

/** What a browser costs whose tabs do nothing. */
const IDLE = { name: 'idle tabs', page: 'fetch' };

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const counts = plan.short ? [1, 5] : [1, 10, 50];
  const samples = [];
  const faults = [];
  for (const visibility of ['visible', 'hidden']) {
    const watch = watchOf(visibility, plan);
    for (const count of counts) {
      for (const library of [
        IDLE,
        ...LIBRARIES.filter(({ page }) => ['offstage', 'tanstack'].includes(page)),
      ]) {
        plan.tell(`tabs: ${count} ${visibility}, ${library.name}`);
        plan.server.load(ROWS);
        const one = await plan.attempt(library, () =>
          play(plan.server, library, { count, visibility, watch }),
        );
        if (!one) continue;
        const behind = count - one.current;
        if (visibility === 'visible' && library !== IDLE && behind > 0)
          faults.push(`${library.name}: ${behind} of ${count} visible tabs are not up to date.`);
        for (const reading of one.readings)
          samples.push({ library: library.name, visibility, count, ...one, ...reading });
      }
    }
  }
  const groups = ['visible', 'hidden'].flatMap((visibility) =>
    counts.map((count) => ({ visibility, count })),
  );
  const names = [...new Set(samples.map(({ library }) => library))];
  const cell = (library, group, key) => medianOf(samples, { library, ...group }, key);
  return {
    tables: [
      {
        title: `${INTERVAL / 1_000} s between polls`,
        head: ['library', 'tabs', 'really visible', 'requests a period', 'CPU, % of a core', 'up to date'],
        rows: groups.flatMap((group) =>
          names.map((library) => [
            library,
            `${group.count} ${group.visibility}`,
            whole(cell(library, group, 'visible')),
            brief(cell(library, group, 'requests')),
            brief(cell(library, group, 'cpu') * 100),
            library === IDLE.name ? '' : `${whole(cell(library, group, 'current'))} of ${group.count}`,
          ]),
        ),
      },
    ],
    charts: ['visible', 'hidden'].map((visibility) => ({
      file: `tabs-${visibility}`,
      title: `CPU of the browser, ${visibility} tabs`,
      unit: '% of a core',
      groups: counts.map((count) => ({
        name: count === 1 ? 'one tab' : `${count} tabs`,
        bars: names.map((library) => ({
          name: library,
          value: cell(library, { visibility, count }, 'cpu') * 100,
        })),
      })),
    })),
    faults,
    raw: { samples },
  };
}

/**
 * Milliseconds of rest, and of each reading. Hidden tabs may ask once a minute.
 *
 * @param {string} visibility
 * @param {import('../plan.mjs').Plan} plan
 */
function watchOf(visibility, { short, rounds }) {
  if (short) return { rest: 3_000, lasts: 6_000, readings: 1 };
  if (visibility === 'hidden') return { rest: 60_000, lasts: 60_000, readings: 1 };
  return { rest: 60_000, lasts: 10_000, readings: rounds };
}

/**
 * @param {import('../server.mjs').BenchServer} server
 * @param {{ name: string, page: string }} library
 * @param {{ count: number, visibility: string, watch: ReturnType<typeof watchOf> }} scene
 */
function play(server, library, { count, visibility, watch }) {
  return withBrowser(async (browser) => {
    const url = `${server.url}/${library.page}/`;
    const pages = [];
    for (let index = 0; index < count; index += 1) {
      const page = await browser.open(url, { newWindow: visibility === 'visible' || index === 0 });
      await page.evaluate('bench.prepare()');
      if (library !== IDLE) await page.evaluate(`void bench.start('/list', ${INTERVAL})`);
      pages.push(page);
    }
    // What lies over the tabs of its window.
    if (visibility === 'hidden') await (await browser.open(`${server.url}/fetch/`)).activate();
    const changes = setInterval(() => server.list.step('changed'), INTERVAL);
    try {
      await sleep(watch.rest);
      const states = await Promise.all(pages.map((page) => page.evaluate('document.visibilityState')));
      const readings = [];
      for (let times = 0; times < watch.readings; times += 1)
        readings.push(await readDuring(server, browser, watch.lasts));
      clearInterval(changes);
      const digests = library === IDLE ? [] : await digestsOf(pages, visibility);
      return {
        readings,
        visible: states.filter((state) => state === 'visible').length,
        current: digests.filter((digest) => digest === server.digest()).length,
      };
    } finally {
      clearInterval(changes);
    }
  });
}

/**
 * @param {readonly import('../browser.mjs').Page[]} pages
 * @param {string} visibility
 */
async function digestsOf(pages, visibility) {
  await sleep(visibility === 'hidden' ? SETTLED.hidden : SETTLED.visible);
  return Promise.all(pages.map((page) => page.evaluate('bench.digest()')));
}

/**
 * @param {import('../server.mjs').BenchServer} server
 * @param {import('../browser.mjs').Browser} browser
 * @param {number} lasts Milliseconds.
 */
async function readDuring(server, browser, lasts) {
  const [answered, cpu, began] = [server.answered, browser.cpu(), performance.now()];
  await sleep(lasts);
  const took = performance.now() - began;
  return {
    requests: (server.answered - answered) / (took / INTERVAL),
    cpu: (browser.cpu() - cpu) / (took / 1_000),
  };
}
