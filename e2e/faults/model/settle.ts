import type { LoopInspection } from '../../../src/shared/inspection.ts';
import type { Disk } from './disk.ts';
import type { Journal } from './journal.ts';
import type { Page } from './page.ts';
import type { Server } from './server.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds between two looks at whether everything has come to rest. */
const LOOK = 3_000;

/**
 * Looks between two writes for pages that have heard nothing of the feed: they hear of what comes from then on, once it
 * is stored.
 */
const WRITES = 8;

/** Periods of the slowest loop that a world gets: the longest wait of the rule after failures, and a tick. */
const PERIODS = 6;

/** So many looks there are at least, that what is written is seen to arrive. */
const LOOKS = 4;

/** The least that it gets, in milliseconds. */
const PATIENCE = 120_000;

/** The parts of a world that come to rest. */
export interface Settling {
  readonly pages: readonly (Page | null)[];
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly journal: Journal;
  readonly server: Server;
}

/** Resolves when everything has come to rest, or tells what is missing when it should have. */
export function settled(world: Settling): Promise<void> {
  return until(world, () => missingIn(world));
}

/** Resolves when every page that is shown has what the server has, or tells what it lacks when it should have it. */
export function caughtUp(world: Settling): Promise<void> {
  return until(world, async () =>
    world.pages.flatMap((page) => (page?.whereabouts === 'shown' ? behindIn(world, page) : [])),
  );
}

async function until(world: Settling, missingNow: () => Promise<string[]>): Promise<void> {
  const { timeline, journal } = world;
  const patience = Math.max(PATIENCE, PERIODS * journal.loops.longestPeriod);
  const end = timeline.now + patience;
  let missing = ['nothing was looked at'];
  for (
    let look = 0;
    (look < LOOKS || missing.length > 0) && timeline.now < end && journal.differences.length === 0;
    look += 1
  ) {
    const waitsForFeed = world.disk.works && world.pages.some(hasHeardNothing);
    if (look === 2 || (look % WRITES === 2 && waitsForFeed)) write(world);
    await timeline.pass(LOOK);
    missing = await missingNow();
  }
  if (journal.differences.length > 0) return;
  for (const each of missing) journal.differ(`${each}, ${patience / 1_000} s after all was well`);
}

function write({ server }: Settling): void {
  for (const path of ['state/a', 'state/b']) server.write(path);
}

/** A page that is away or frozen hears nothing: to write for it would go on for ever. */
function hasHeardNothing(page: Page | null): boolean {
  if (page?.whereabouts === 'away' || page?.whereabouts === 'frozen') return false;
  return !!page?.loops.has('feed') && page.hearing.newest('feed') === null;
}

async function missingIn(world: Settling): Promise<string[]> {
  const pages = world.pages.filter((page) => page !== null);
  const behind = pages.flatMap((page) => behindIn(world, page));
  if (behind.length > 0) return behind;
  const { underWay } = world.journal.calls;
  if (underWay.length > 0) return underWay.map(({ tag }) => `${tag} is under way`);
  return loopsIn(world, pages);
}

/** What a page has not heard yet. */
function behindIn({ server, disk }: Settling, page: Page): string[] {
  return [...page.loops.keys()].flatMap((path) => {
    // A feed's answer is told when it is stored.
    if (path === 'feed' && !disk.works) return [];
    const heard = page.hearing.newest(path) ?? 0;
    const newest = path === 'feed' ? server.entries : server.versionOf(path);
    return heard < newest ? [`${page.name} has heard ${path} up to ${heard} of ${newest}`] : [];
  });
}

/** The worker runs exactly the loops that pages want. */
async function loopsIn(world: Settling, pages: readonly Page[]): Promise<string[]> {
  const [page] = pages;
  if (!page) return [];
  let running: readonly LoopInspection[] | null = null;
  world.timeline.schedule(page, 0, () => {
    void page.inspect().then((inspection) => (running = inspection?.loops ?? null));
  });
  await world.timeline.pass(500);
  if (running === null) return ['the worker does not say what it is doing'];
  const wanted = pages.flatMap(({ loops }) => [...loops.keys()]);
  const has = followersOf(running);
  return [...new Set([...wanted, ...has.keys()])].flatMap((path) => {
    const [want, is] = [wanted.filter((each) => each === path).length, has.get(path) ?? 0];
    return want === is ? [] : [`the worker has ${is} pages at ${path}, which ${want} pages want`];
  });
}

function followersOf(loops: readonly LoopInspection[]): Map<string, number> {
  const followers = new Map<string, number>();
  for (const { template, pages } of loops) {
    const path = template.slice(1);
    followers.set(path, pages + (followers.get(path) ?? 0));
  }
  return followers;
}
