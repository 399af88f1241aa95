import { USERS, findUser } from '../users.ts';
import { Problem } from './problem.ts';
import { empty, json } from './reply.ts';
import type { Reply } from './reply.ts';
import { readFields } from './request-body.ts';
import type { Route, Visit } from './router.ts';
import { endedCookie, readToken, sessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** Signing in and out. There are no passwords: who may be whom is not what the demo is about. */
export function sessionRoutes(sessions: Sessions): Route[] {
  const path = '/api/session';

  const show = async ({ headers }: Visit): Promise<Reply> => told(await sessions.userOf(readToken(headers)));

  const signIn = async ({ headers, request }: Visit): Promise<Reply> => {
    const { user } = await readFields(request);
    const found = findUser(user);
    if (!found) {
      throw new Problem(
        400,
        `There is no such user: sign in as ${USERS.map(({ name }) => name).join(' or ')}.`,
      );
    }
    // Never the token from before: it may be known to somebody.
    await sessions.end(readToken(headers));
    return told(found.name, { 'Set-Cookie': sessionCookie(await sessions.begin(found.name)) });
  };

  const signOut = async ({ headers }: Visit): Promise<Reply> => {
    await sessions.end(readToken(headers));
    return empty(204, { 'Set-Cookie': endedCookie() });
  };

  return [
    { method: 'GET', path, handle: show },
    { method: 'POST', path, handle: signIn },
    { method: 'DELETE', path, handle: signOut },
  ];
}

function told(user: string | null, headers: Readonly<Record<string, string>> = {}): Reply {
  return json({ user }, { 'Cache-Control': 'no-store', ...headers });
}
