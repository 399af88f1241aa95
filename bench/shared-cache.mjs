// `npm run shared-cache`: a fleet of long-polls behind a shared cache. Counts what of it reaches the origin.
//
//   --clients 100,1000   sizes of the fleet
//   --changes 20         changes a round
//   --hold 25            seconds that the origin holds a request
//   --cache nginx        one cache alone
//   --traps              takes settings away, one a round, and shows what that does
//   --json               the results, to be read by a program

import { parseArgs } from 'node:util';
import { Stop, runAsProgram } from '../scripts/run.mjs';
import { CACHES, readyCaches, versionOf } from './shared-cache/caches.mjs';
import { playRound } from './shared-cache/round.mjs';
import { TRAPS } from './shared-cache/traps.mjs';

/** Requests at the origin for one change, ends of holds included. */
const BUDGET = 3;

/** Seconds; the caches are set up for it. */
const LONGEST_HOLD = 30;

/** @typedef {import('./shared-cache/round.mjs').Setup & { name: string }} Plan */
/** @typedef {Plan & Awaited<ReturnType<typeof playRound>> & { perChange: number }} Result */

function readOptions() {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string' },
      changes: { type: 'string', default: '20' },
      hold: { type: 'string' },
      cache: { type: 'string', multiple: true, default: Object.keys(CACHES) },
      traps: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { traps, json, cache } = values;
  const unknown = cache.find((name) => !(name in CACHES));
  if (unknown) throw new Stop(`There is no cache ${unknown}: take ${Object.keys(CACHES).join(', ')}.`);
  const clients = (values.clients ?? (traps ? '100' : '100,1000')).split(',').map(Number);
  const changes = Number(values.changes);
  const hold = Number(values.hold ?? (traps ? 8 : 25));
  if (![...clients, changes, hold].every((each) => each > 0) || hold > LONGEST_HOLD) {
    throw new Stop(`--clients, --changes and --hold take numbers above 0, --hold up to ${LONGEST_HOLD}.`);
  }
  return { clients, changes, hold: hold * 1_000, caches: cache, traps, json };
}

/** @returns {Plan[]} */
function planOf({ clients, changes, hold, caches, traps }) {
  const ways = traps
    ? TRAPS.filter(({ cache }) => caches.includes(cache))
    : [...caches.map((cache) => ({ name: 'as recommended', cache })), { name: 'no cache', cache: null }];
  return ways.flatMap((way) => clients.map((count) => ({ clients: count, changes, hold, ...way })));
}

const COLUMNS = [
  ['cache', 8, ({ cache }) => cache ?? 'none'],
  ['setting', 31, ({ name }) => name],
  ['clients', 8, ({ clients }) => clients],
  ['changes', 8, ({ changes }) => changes],
  ['hold ends', 10, ({ ends }) => ends],
  ['asked', 8, ({ asked }) => asked],
  ['at the origin', 14, ({ reached }) => reached],
  ['per change', 11, ({ perChange }) => perChange.toFixed(1)],
  ['one URL', 8, ({ mostOfOneUrl }) => mostOfOneUrl],
  ['seen after, ms', 15, ({ median, worst }) => `${median.toFixed(0)} .. ${worst.toFixed(0)}`],
  ['faults', 7, ({ faults, lacking }) => faults.length + lacking],
];

/** @param {(column: (typeof COLUMNS)[number]) => string | number} cell */
function line(cell) {
  const cells = COLUMNS.map((column, index) => {
    const text = String(cell(column));
    return index < 2 ? text.padEnd(column[1]) : text.padStart(column[1]);
  });
  return cells.join(' ');
}

/** @param {readonly Result[]} results */
function judge(results) {
  for (const { cache, clients, changes, faults, lacking } of results) {
    const where = `${clients} clients, ${cache ?? 'no cache'}`;
    if (lacking > 0) throw new Stop(`${where}: ${lacking} did not see all ${changes} changes.`);
    if (faults.length > 0) throw new Stop(`${where}: ${faults.length} faults, the first: ${faults[0]}.`);
  }
  const over = results.find(({ cache, perChange }) => cache !== null && perChange > BUDGET);
  if (!over) return;
  throw new Stop(
    `${over.clients} clients, ${over.cache}: more than ${BUDGET} requests a change at the origin.`,
  );
}

await runAsProgram(import.meta.url, async () => {
  const options = readOptions();
  await readyCaches(options.caches);
  const say = (/** @type {string} */ text) => options.json || console.log(text);
  for (const cache of options.caches) say(`${cache} ${await versionOf(cache)}`);
  say(`Node ${process.versions.node}, requests held for ${options.hold / 1_000} s\n`);
  say(line(([head]) => head));
  const results = [];
  for (const plan of planOf(options)) {
    const result = { ...plan, ...(await playRound(plan)) };
    results.push({ ...result, perChange: result.reached / plan.changes });
    say(line(([, , value]) => value(results.at(-1))));
  }
  if (options.json) console.log(JSON.stringify(results, null, 2));
  if (!options.traps) judge(results);
});
