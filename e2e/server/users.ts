import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, send, sendJson, type Exchange } from './exchange.ts';
import type { FixtureServer } from './fixture-server.ts';

/** An answer's validator says its version and not whose it is, as servers do. */
const VALIDATOR = { ETag: '"1"', 'Cache-Control': 'no-cache' };

/** Whom the server takes to be signed in, whatever cookie comes. */
export interface Session {
  user: string | null;
}

/**
 * Has a server answer below `/mine` with what belongs to the user of its session, where it has one, or of the cookie. The
 * feed has news every `pause` milliseconds.
 */
export function serveUsers(server: FixtureServer, pause = 100): Session {
  const session: Session = { user: null };
  const ownerOf = ({ request }: Exchange): string =>
    session.user ?? /user=(\w+)/.exec(headersOf(request)['cookie'] ?? '')?.[1] ?? 'nobody';
  for (const path of ['/mine', '/mine/live', '/mine/query'] as const)
    server.on(`GET ${path}`, (exchange) => answer(exchange, { of: ownerOf(exchange), path }));
  server.on('GET /mine/rows', (exchange) => {
    const of = ownerOf(exchange);
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, of }));
    answer(exchange, rows);
  });
  server.on('GET /mine/feed', async (exchange) => {
    await sleep(pause);
    sendJson(exchange, { of: ownerOf(exchange), last: 1 + Number(exchange.url.searchParams.get('since')) });
  });
  return session;
}

function answer(exchange: Exchange, value: unknown): void {
  const isKnown = headersOf(exchange.request)['if-none-match'] === VALIDATOR.ETag;
  if (isKnown) send(exchange, 304, undefined, VALIDATOR);
  else sendJson(exchange, value, VALIDATOR);
}
