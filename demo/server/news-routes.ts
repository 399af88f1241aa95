import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import type { Change, Photos } from './photos.ts';
import { Problem } from './problem.ts';
import { empty, json } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Route, Visit } from './router.ts';
import { readWait } from './wait.ts';

/** Changes in one answer: of those who have not heard for long, each takes more than one. */
const MOST = 100;

/** What somebody is told who has only just come. */
const LATEST = 50;

/**
 * The change log as a feed: `GET /api/changes` tells the latest changes, `?since=` with the place that an answer named
 * as its `last` tells those that came after, or is held until there are any. It answers 410 where the log does not go on
 * from there: its beginning is dropped as it grows, and another database has another log.
 */
export function newsRoutes(photos: Photos, feed: ChangeFeed, { name: origin }: Database): Route[] {
  const tell = (changes: readonly Change[], cursor: number): Reply =>
    json({ origin, changes, last: `${origin}-${changes.at(-1)?.n ?? cursor}` });

  const after = async (visit: Visit, since: string): Promise<Reply> => {
    const cursor = read(since, origin);
    const missed = await photos.changesAfter(cursor, MOST);
    if (missed === null) throw gone(since);
    if (missed.length > 0) return tell(missed, cursor);
    await feed.next(cursor, readWait(visit), visit.signal);
    const news = await photos.changesAfter(cursor, MOST);
    if (news === null) throw gone(since);
    return news.length > 0 ? tell(news, cursor) : empty(204, { 'Cache-Control': 'no-store' });
  };

  const changes = async (visit: Visit): Promise<Reply> => {
    const since = visit.url.searchParams.get('since');
    if (since !== null) return after(visit, since);
    const cursor = await photos.cursor();
    return tell(await photos.latestChanges(LATEST), cursor);
  };

  return [{ method: 'GET', path: '/api/changes', handle: changes }];
}

/** The number in a place of this database's log; -1, which is in none, for a place of another's. */
function read(place: string, origin: string): number {
  const [, name, number] = /^(\w+)-(\d{1,9})$/.exec(place) ?? [];
  if (name === undefined) throw new Problem(400, `${place} is no place to go on from.`);
  return name === origin ? Number(number) : -1;
}

function gone(place: string): Problem {
  return new Problem(410, `The log does not go on from ${place}: begin with the latest changes.`);
}
