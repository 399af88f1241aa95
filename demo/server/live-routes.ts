import type { Own, OwnRoute } from './own-routes.ts';
import { readPage, whole } from './photo-input.ts';
import { empty, json, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Visit } from './router.ts';
import { readWait } from './wait.ts';

/** The clock of the statistics moves in steps, so that most polls find nothing new. */
const CLOCK_STEP = 10_000;

const STARTED_AT = Date.now();

/** What one follows: the long-poll of changes and the numbers to poll. */
export const LIVE_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/api/photos/changes', handle: changes },
  { method: 'GET', path: '/api/stats', handle: stats },
];

async function changes(visit: Visit, own: Own): Promise<Reply> {
  const { photos, feed } = own;
  const page = readPage(visit.url.searchParams);
  const since = cursorOf(visit, own);
  const tagOf = (cursor: number): string => `"${photos.origin}-${cursor}"`;
  const woken = await feed.next(since, readWait(visit), visit.signal);
  if (woken === null) {
    const holdsIt = visit.headers['if-none-match'] === tagOf(since);
    return holdsIt ? empty(304, { ETag: tagOf(since) }) : empty(204, { 'Cache-Control': 'no-store' });
  }
  const list = await photos.list(page);
  const changed = await photos.changedSince(since);
  return json({ ...list, changed }, { ETag: tagOf(list.cursor) });
}

async function stats({ headers }: Visit, { photos, feed }: Own): Promise<Reply> {
  const { total, cursor, items } = await photos.list({ page: 1, size: 1, query: '' });
  const now = Math.floor(Date.now() / CLOCK_STEP) * CLOCK_STEP;
  const body = {
    photos: total,
    changes: cursor,
    newest: items[0]?.title ?? null,
    waiting: feed.waiting,
    upSince: new Date(STARTED_AT).toISOString(),
    clock: new Date(now).toISOString(),
  };
  const ETag = `"${photos.origin}-${STARTED_AT}-${cursor}-${feed.waiting}-${now}"`;
  return unlessHeld(headers['if-none-match'], json(body, { ETag }));
}

/** What the asker has seen: the list that it holds by ETag, else `since`, else everything up to now. */
function cursorOf({ url, headers }: Visit, { photos, feed }: Own): number {
  const tag = headers['if-none-match'];
  if (tag === undefined) {
    return whole(url.searchParams, 'since', { fallback: feed.cursor, low: 0, high: 2_147_483_647 });
  }
  const held = new RegExp(`^"${photos.origin}-(\\d+)"$`).exec(tag);
  // An ETag of another log is held by somebody who knows nothing of this one.
  return held ? Number(held[1]) : -1;
}
