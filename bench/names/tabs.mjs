import { setTimeout as sleep } from 'node:timers/promises';
import { withBrowser } from '../browser.mjs';
import { brief, medianOf, whole } from '../figures.mjs';
import { LIBRARIES } from '../peers.mjs';

export const title = 'What many tabs cost';

export const how = `Tabs of one browser poll the same list of 1,000 rows once a second; one row of it changes each second.
Requests are counted at the server, CPU seconds are those of the whole tree of the browser's processes, from /proc. Visible
tabs have a window each; hidden ones are tabs of one window behind another that is shown. \`document.visibilityState\` is
asked and stands in the table. Visible tabs are watched for 20 s in each round, at most three, hidden ones for a minute,
once. All libraries have their defaults: Offstage asks for hidden tabs once a minute at most,
TanStack Query does not. Tabs up to date are those that have what the server has, 3 s after its last change.`;

const INTERVAL = 1_000;
const ROWS = 1_000;

/** @param {import('../plan.mjs').Plan} plan */
export async function measure(plan) {
  const counts = plan.short ? [1, 5] : [1, 10, 50];
  const samples = [];
  const faults = [];
  for (const visibility of ['visible', 'hidden']) {
    const { seconds, rounds } = watchOf(visibility, plan);
    for (const count of counts) {
      for (let round = 1; round <= rounds; round += 1) {
        for (const library of LIBRARIES.filter(({ page }) => ['offstage', 'tanstack'].includes(page))) {
          plan.tell(`tabs: ${count} ${visibility}, round ${round} of ${rounds}, ${library.name}`);
          plan.server.load(ROWS);
          const one = await plan.attempt(library, () =>
            play(plan.server, library, { count, visibility, seconds }),
          );
          if (!one) continue;
          if (visibility === 'visible' && one.current < count) {
            faults.push(
              `${library.name}: ${count - one.current} of ${count} visible tabs are not up to date.`,
            );
          }
          samples.push({ library: library.name, visibility, count, ...one });
        }
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
            `${whole(cell(library, group, 'current'))} of ${group.count}`,
          ]),
        ),
      },
    ],
    charts: ['visible', 'hidden'].map((visibility) => ({
      file: `tabs-${visibility}`,
      title: `CPU of the browser, ${visibility} tabs`,
      unit: '% of a core',
      groups: counts.map((count) => ({
        name: `${count} tabs`,
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
 * Each figure is a mean over its seconds already. Hidden tabs may ask once a minute.
 *
 * @param {string} visibility
 * @param {import('../plan.mjs').Plan} plan
 */
function watchOf(visibility, { short, rounds }) {
  if (short) return { seconds: 6, rounds: 1 };
  return visibility === 'hidden' ? { seconds: 60, rounds: 1 } : { seconds: 20, rounds: Math.min(rounds, 3) };
}

/**
 * @param {import('../server.mjs').BenchServer} server
 * @param {import('../peers.mjs').Library} library
 * @param {{ count: number, visibility: string, seconds: number }} scene
 */
function play(server, library, { count, visibility, seconds }) {
  return withBrowser(async (browser) => {
    const url = `${server.url}/${library.page}/`;
    const pages = [];
    for (let index = 0; index < count; index += 1) {
      const page = await browser.open(url, { newWindow: visibility === 'visible' || index === 0 });
      await page.evaluate('bench.prepare()');
      await page.evaluate(`void bench.start('/list', ${INTERVAL})`);
      pages.push(page);
    }
    // What lies over the tabs of its window.
    if (visibility === 'hidden') await (await browser.open(`${server.url}/fetch/`)).activate();
    await sleep(3_000);
    const changes = setInterval(() => server.list.step('changed'), INTERVAL);
    try {
      const states = await Promise.all(pages.map((page) => page.evaluate('document.visibilityState')));
      const [answered, cpu, began] = [server.answered, browser.cpu(), performance.now()];
      await sleep(seconds * 1_000);
      const took = (performance.now() - began) / 1_000;
      const requests = (server.answered - answered) / (took / (INTERVAL / 1_000));
      const load = (browser.cpu() - cpu) / took;
      clearInterval(changes);
      await sleep(3_000);
      const digests = await Promise.all(pages.map((page) => page.evaluate('bench.digest()')));
      return {
        visible: states.filter((state) => state === 'visible').length,
        requests,
        cpu: load,
        current: digests.filter((digest) => digest === server.digest()).length,
      };
    } finally {
      clearInterval(changes);
    }
  });
}
