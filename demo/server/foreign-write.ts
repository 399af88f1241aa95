import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from './problem.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a write that a browser sends for a page of another origin, though it may carry the user's cookie: `SameSite=Lax`
 * keeps the cookie from other sites, but another port of this host is the same site. A client that is no browser says
 * nothing of where it comes from, and has no cookie that it was not given.
 */
export function refuseForeignWrite(method: string, headers: IncomingHttpHeaders): void {
  if (READS.has(method) || isOwn(headers)) return;
  throw new Problem(403, 'Only pages of this server can write here.');
}

function isOwn({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  // `none`: typed into the address bar, or sent by no page.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
