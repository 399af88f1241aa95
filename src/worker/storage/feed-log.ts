import { LIMITS } from '../../shared/limits.ts';

/** Which entries of a log are kept, and what each counts for: known without reading them, since they may be large. */
export interface FeedLog {
  /** The number of the oldest; where there is none, of the next. */
  readonly first: number;
  /** Bytes of each, the oldest first. */
  readonly sizes: readonly number[];
}

export const EMPTY: FeedLog = { first: 1, sizes: [] };

/**
 * With one entry more, and without the oldest ones as far as that is beyond the bounds of a log (invariant 7). Nothing
 * stays that the new one does not follow: a reader sees from the first number that it has missed some.
 */
export function extended(log: FeedLog, n: number, size: number): FeedLog {
  const follows = n === log.first + log.sizes.length;
  return bounded(follows ? { first: log.first, sizes: [...log.sizes, size] } : { first: n, sizes: [size] });
}

/** Without the entries up to and including that number. */
export function pruned(log: FeedLog, upTo: number): FeedLog {
  return without(log, Math.min(Math.max(upTo - log.first + 1, 0), log.sizes.length));
}

/** The newest always stays, whatever its size: nobody has seen it yet. */
function bounded(log: FeedLog): FeedLog {
  let bytes = log.sizes.reduce((total, size) => total + size, 0);
  let dropped = Math.max(0, log.sizes.length - LIMITS.feedEntries);
  for (const size of log.sizes.slice(0, dropped)) bytes -= size;
  for (const size of log.sizes.slice(dropped, -1)) {
    if (bytes <= LIMITS.feedBytes) break;
    bytes -= size;
    dropped += 1;
  }
  return without(log, dropped);
}

function without({ first, sizes }: FeedLog, dropped: number): FeedLog {
  return { first: first + dropped, sizes: sizes.slice(dropped) };
}
