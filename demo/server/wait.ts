import { whole } from './photo-input.ts';
import type { Visit } from './router.ts';

/** Seconds that a request is held: shorter than the 30 s after which clients and proxies lose patience. */
const LONGEST_WAIT = 25;

/** Milliseconds that a request wants to be held: by its `wait`, else by `Prefer: wait=10` (RFC 7240); in seconds both. */
export function readWait({ url, headers }: Visit): number {
  return (
    whole(url.searchParams, 'wait', { fallback: preferred(headers), low: 0, high: LONGEST_WAIT }) * 1_000
  );
}

function preferred({ prefer = '' }: Visit['headers']): number {
  const wait = /(?:^|[,;\s])wait=(\d{1,4})/.exec([prefer].flat().join());
  return Math.min(LONGEST_WAIT, wait ? Number(wait[1]) : LONGEST_WAIT);
}
