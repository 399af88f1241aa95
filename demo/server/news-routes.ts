import type { Own, OwnRoute } from './own-routes.ts';
import type { Change } from './photos.ts';
import { Problem } from './problem.ts';
import { empty, json } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Visit } from './router.ts';
import { readWait } from './wait.ts';

/** Changes in one answer: of those who have not heard for long, each takes more than one. */
const MOST = 100;

/** What somebody is told who has only just come. */
const LATEST = 50;

/**
 * A user's change log as a feed: `GET /api/changes` tells the latest changes, `?since=` with the place that an answer
 * named as its `last` tells those that came after, or is held until there are any. It answers 410 where the log does not
 * go on from there: its beginning is dropped as it grows, and another user has another log.
 */
export const NEWS_ROUTES: readonly OwnRoute[] = [{ method: 'GET', path: '/api/changes', handle: news }];

async function news(visit: Visit, own: Own): Promise<Reply> {
  const since = visit.url.searchParams.get('since');
  if (since !== null) return tellAfter(since, visit, own);
  const cursor = await own.photos.cursor();
  return tell(own, await own.photos.latestChanges(LATEST), cursor);
}

async function tellAfter(since: string, visit: Visit, own: Own): Promise<Reply> {
  const { photos, feed } = own;
  const cursor = read(since, photos.origin);
  const missed = await photos.changesAfter(cursor, MOST);
  if (missed === null) throw gone(since);
  if (missed.length > 0) return tell(own, missed, cursor);
  await feed.next(cursor, readWait(visit), visit.signal);
  const fresh = await photos.changesAfter(cursor, MOST);
  if (fresh === null) throw gone(since);
  return fresh.length > 0 ? tell(own, fresh, cursor) : empty(204, { 'Cache-Control': 'no-store' });
}

function tell({ photos: { origin } }: Own, changes: readonly Change[], cursor: number): Reply {
  return json({ origin, changes, last: `${origin}-${changes.at(-1)?.n ?? cursor}` });
}

/** The number in a place of this log; -1, which is in none, for a place of another. */
function read(place: string, origin: string): number {
  const [, name, number] = /^(\w+)-(\d{1,9})$/.exec(place) ?? [];
  if (name === undefined) throw new Problem(400, `${place} is no place to go on from.`);
  return name === origin ? Number(number) : -1;
}

function gone(place: string): Problem {
  return new Problem(410, `The log does not go on from ${place}: begin with the latest changes.`);
}
