import { setTimeout as sleep } from 'node:timers/promises';
import type { Following } from '../page/loops.ts';
import { FixtureServer } from '../server/fixture-server.ts';
import { openBare } from './bare-chromium.ts';
import { Reports } from './reports.ts';
import type { Bench, Result, Row } from './row.ts';
import { until } from './until.ts';

const MINUTE = 60_000;

/** Milliseconds: the poll asks every second, and a worker that starts anew may cost it some. */
const LONGEST_GAP = 5_000;

/**
 * A poll and a long-poll run longer than the browser lets any event of a worker last (310 s), in a Chromium that nobody
 * drives. At the end both still bring news. A round is one minute.
 */
export const eventLimit: Row = {
  number: 3,
  name: 'event-limit',
  rounds: { short: 6, long: 10 },
  slow: true,
  run,
};

async function run({ chromium, rounds }: Bench): Promise<Result> {
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const reports = new Reports<Following[]>(server);
  const close = await openBare(chromium, `${server.url}/soak.html`);
  try {
    await reports.count(1, 30_000);
    await sleep(rounds * MINUTE);
    const polls = server.journal.of('/etag/soak').map(({ at }) => at);
    const asked = server.journal.of('/hold').length;
    await until('the long-poll asks', () => server.release('soak', '{"version":1}') > 0, 30_000);
    await reports.count(reports.all.length + 3, 30_000);
    return resultOf(rounds, polls, asked, reports.all.at(-1) ?? []);
  } finally {
    await close();
    await server.down();
  }
}

function resultOf(
  rounds: number,
  polls: readonly number[],
  asked: number,
  [poll, longPoll]: readonly Following[],
): Result {
  const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? at));
  const failures = [...(poll?.errors ?? []), ...(longPoll?.errors ?? [])];
  return {
    rounds,
    lost: longPoll?.heard.some(({ version }) => version === 1) ? 0 : 1,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'polls', value: polls.length, atLeast: rounds * 50 },
      { name: 'longest gap', value: Math.max(...gaps), unit: 'ms', atMost: LONGEST_GAP },
      { name: 'long-polls', value: asked },
      { name: 'errors told', value: failures.length, atMost: 0 },
    ],
  };
}
