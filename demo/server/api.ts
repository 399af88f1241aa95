import type { IncomingMessage } from 'node:http';
import { ChangeFeed } from './change-feed.ts';
import { openDatabase } from './database.ts';
import { liveRoutes } from './live-routes.ts';
import { newsRoutes } from './news-routes.ts';
import { photoRoutes } from './photo-routes.ts';
import { Photos } from './photos.ts';
import { pictureRoutes } from './picture-routes.ts';
import { Problem } from './problem.ts';
import type { Reply } from './reply.ts';
import { createRouter } from './router.ts';
import type { Route } from './router.ts';
import { TroubleMaker } from './trouble.ts';

export interface Api {
  readonly answer: (request: IncomingMessage, url: URL, signal: AbortSignal) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

/** Opens the database and puts the API together over it. */
export async function openApi(dataDir: string | null): Promise<Api> {
  const database = await openDatabase(dataDir);
  const photos = new Photos(database);
  const feed = await ChangeFeed.open(database.sql, await photos.cursor());
  const trouble = new TroubleMaker();
  // The long-poll's path would fit `{id}` too, so it comes first.
  const troubled = [
    ...liveRoutes(photos, feed, database),
    ...newsRoutes(photos, feed, database),
    ...photoRoutes(photos, database),
  ];
  const route = createRouter([
    ...trouble.routes(),
    ...troubled.map((plain) => inTrouble(plain, trouble)),
    ...pictureRoutes(photos),
  ]);
  return {
    answer: async (request, url, signal) => {
      refuseForeignWrite(request);
      const method = request.method ?? 'GET';
      return route({ method, url, headers: request.headers, request, signal });
    },
    close: async () => {
      await feed.close();
      await database.sql.close();
    },
  };
}

function inTrouble(route: Route, trouble: TroubleMaker): Route {
  return {
    ...route,
    async handle(visit) {
      await trouble.pass(visit);
      return route.handle(visit);
    },
  };
}

/** A form on another site must not write here: browsers say where a request comes from. */
function refuseForeignWrite({ method, headers }: IncomingMessage): void {
  const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (!reads && headers['sec-fetch-site'] === 'cross-site') {
    throw new Problem(403, 'Pages of other sites cannot write here.');
  }
}
