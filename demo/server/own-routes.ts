import type { ChangeFeed } from './change-feed.ts';
import type { Photos } from './photos.ts';
import { Problem } from './problem.ts';
import type { Reply } from './reply.ts';
import type { Body } from './request-body.ts';
import type { Route, Visit } from './router.ts';
import { readToken } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** What belongs to one user. */
export interface Own {
  readonly user: string;
  readonly photos: Photos;
  readonly feed: ChangeFeed;
}

/** A route that has no way to anything but what belongs to the user who is signed in. */
export interface OwnRoute extends Omit<Route, 'handle'> {
  readonly handle: (visit: Visit, own: Own) => Promise<Reply>;
}

/** A write whose body is here already, so that no transaction waits for a slow client. */
export interface WriteVisit extends Visit {
  readonly body: Body;
}

/** A write of what belongs to the user who is signed in. It may be performed within a transaction. */
export interface OwnWrite extends Omit<Route, 'handle'> {
  readonly perform: (visit: WriteVisit, own: Own) => Promise<Reply>;
}

/** The same routes behind the door: without a session they answer 401, and no shared cache may keep what they answer. */
export function behindTheDoor(
  routes: readonly OwnRoute[],
  sessions: Sessions,
  owns: ReadonlyMap<string, Own>,
): Route[] {
  const enter = async ({ headers }: Visit): Promise<Own> => {
    const user = await sessions.userOf(readToken(headers));
    const own = user === null ? undefined : owns.get(user);
    if (!own) throw new Problem(401, 'Sign in first.', { headers: { Vary: 'Cookie' } });
    return own;
  };

  return routes.map((route) => ({
    ...route,
    async handle(visit) {
      const own = await enter(visit);
      const reply = await route.handle(visit, own).catch(toPrivate);
      // The request may have been held for so long that the user has signed out meanwhile.
      if (visit.method === 'GET') await enter(visit);
      return { ...reply, headers: privately(reply.headers) };
    },
  }));
}

/** What is wrong is between the server and one user, too. */
function toPrivate(error: unknown): Reply {
  if (error instanceof Problem) return error.toReply();
  throw error;
}

function privately(headers: Reply['headers']): Reply['headers'] {
  const { 'Cache-Control': caching = 'no-cache', ...others } = headers;
  return {
    ...others,
    Vary: 'Cookie',
    'Cache-Control': caching === 'no-store' ? caching : `private, ${caching}`,
  };
}
