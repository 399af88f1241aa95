import type { IncomingMessage } from 'node:http';
import type { PGlite } from '@electric-sql/pglite';
import { USERS } from '../users.ts';
import { ChangeFeed } from './change-feed.ts';
import { openDatabase } from './database.ts';
import { refuseForeignWrite } from './foreign-write.ts';
import { LIVE_ROUTES } from './live-routes.ts';
import { NEWS_ROUTES } from './news-routes.ts';
import { once } from './once.ts';
import { behindTheDoor } from './own-routes.ts';
import type { Own, OwnRoute } from './own-routes.ts';
import { PHOTO_ROUTES, PHOTO_WRITES } from './photo-routes.ts';
import { Photos } from './photos.ts';
import { PICTURE_ROUTES, PREVIEW_ROUTES } from './picture-routes.ts';
import type { Reply } from './reply.ts';
import { createRouter } from './router.ts';
import { sessionRoutes } from './session-routes.ts';
import { Sessions } from './sessions.ts';
import { TroubleMaker } from './trouble.ts';

export interface Api {
  readonly answer: (request: IncomingMessage, url: URL, signal: AbortSignal) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

/** Opens the database and puts the API together over it. */
export async function openApi(dataDir: string | null): Promise<Api> {
  const sql = await openDatabase(dataDir);
  const owns = await Promise.all(USERS.map(({ name }) => openOwn(name, sql)));
  const trouble = new TroubleMaker();
  const sessions = new Sessions(sql);
  // The long-poll's path would fit `{id}` too, so it comes first.
  const writes = PHOTO_WRITES.map((write) => once(write, sql));
  const troubled = [...LIVE_ROUTES, ...NEWS_ROUTES, ...PHOTO_ROUTES, ...writes];
  const own = [...troubled.map((plain) => inTrouble(plain, trouble)), ...PICTURE_ROUTES];
  const route = createRouter([
    ...trouble.routes(),
    ...sessionRoutes(sessions),
    ...PREVIEW_ROUTES,
    ...behindTheDoor(own, sessions, new Map(owns.map((each) => [each.user, each]))),
  ]);
  return {
    answer: async (request, url, signal) => {
      refuseForeignWrite(request.method ?? 'GET', request.headers);
      const method = request.method ?? 'GET';
      return route({ method, url, headers: request.headers, request, signal });
    },
    close: async () => {
      await Promise.all(owns.map(({ feed }) => feed.close()));
      await sql.close();
    },
  };
}

async function openOwn(user: string, sql: PGlite): Promise<Own> {
  const photos = await Photos.of(user, sql);
  return { user, photos, feed: await ChangeFeed.open(sql, user, await photos.cursor()) };
}

function inTrouble(route: OwnRoute, trouble: TroubleMaker): OwnRoute {
  return {
    ...route,
    async handle(visit, own) {
      await trouble.pass(visit);
      return route.handle(visit, own);
    },
  };
}
