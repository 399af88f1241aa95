import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { FixtureServer } from '../../server/fixture-server.ts';
import { FLAGS } from '../bare-chromium.ts';
import type { Bench, Result, Row } from '../row.ts';
import { connect } from '../stage.ts';
import { until } from '../until.ts';
import { WriteServer } from './write-server.ts';

const LANES = ['a', 'b', 'c', 'd'];

/** Milliseconds in which something must arrive. */
const HEALED = 60_000;

/** Writes of one life of the browser, and milliseconds within which it is killed. */
const WRITES = 100;
const LIFE = 1_500;

/** The browser is killed, with all its processes, while writes are queued and sent. A round is one kill. */
export const browserKill: Row = {
  number: 4,
  name: 'browser-kill',
  rounds: { short: 3, long: 200 },
  slow: true,
  run,
};

async function run({ chromium: program, rounds, random }: Bench): Promise<Result> {
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const writes = new WriteServer(server, LANES);
  writes.takes = () => random.between(0, 30);
  const profile = await mkdtemp(join(tmpdir(), 'offstage-faults-'));
  const acknowledged = new Set<number>();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { page, kill } = await openKillable(program, profile, server.url);
      await page.exposeFunction('acknowledge', (number: number) => void acknowledged.add(number));
      // It ends with its browser.
      page
        .evaluate(
          ({ from, count, lanes }) => window.outbox.queue(from, count, lanes, 60_000, window.acknowledge),
          { from: round * WRITES + 1, count: WRITES, lanes: LANES },
        )
        .catch(() => {});
      await sleep(random.between(100, LIFE));
      await kill();
    }
    return await verdict({ program, profile, server, writes, acknowledged, rounds });
  } finally {
    await server.down();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Played {
  readonly program: string;
  readonly profile: string;
  readonly server: FixtureServer;
  readonly writes: WriteServer;
  readonly acknowledged: ReadonlySet<number>;
  readonly rounds: number;
}

async function verdict({ program, profile, server, writes, acknowledged, rounds }: Played): Promise<Result> {
  const { page, kill } = await openKillable(program, profile, server.url);
  const isOver = async (): Promise<boolean> => {
    const waiting = await page.evaluate(() => window.outbox.waiting()).catch(() => null);
    return waiting !== null && Object.keys(waiting).length === 0;
  };
  // Thousands may wait: as long as some arrive, the rest is on its way.
  for (let before = -1; writes.all.length > before;) {
    before = writes.all.length;
    if (
      await until('all has arrived', isOver, HEALED).then(
        () => true,
        () => false,
      )
    )
      break;
  }
  await kill();
  const performed = writes.all;
  const distinct = new Set(performed);
  return {
    rounds,
    lost: [...acknowledged].filter((number) => !distinct.has(number)).length,
    duplicated: performed.length - distinct.size + writes.mixed,
    hung: 0,
    figures: [
      { name: 'acknowledged', value: acknowledged.size, atLeast: 1 },
      { name: 'out of their order', value: writes.unordered, atMost: 0 },
    ],
  };
}

/** A page that is connected, in a browser with that profile, and what kills all processes of it. */
async function openKillable(
  program: string,
  profile: string,
  url: string,
): Promise<{ readonly page: Page; readonly kill: () => Promise<void> }> {
  const portFile = join(profile, 'DevToolsActivePort');
  await rm(portFile, { force: true });
  const flags = [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const browser = spawn(program, flags, { stdio: 'ignore', detached: true });
  const closed = once(browser, 'close');
  const port = async (): Promise<string> =>
    (await readFile(portFile, 'utf8').catch(() => '')).split('\n')[0] ?? '';
  await until('the browser listens', async () => (await port()) !== '', 30_000);
  const driven = await chromium.connectOverCDP(`http://127.0.0.1:${await port()}`);
  const [context] = driven.contexts();
  const page = await context?.newPage();
  if (!page) throw new Error('The browser has no window');
  await page.goto(url);
  await connect(page);
  const kill = async (): Promise<void> => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL');
    await closed;
    await driven.close().catch(() => {});
  };
  return { page, kill };
}
