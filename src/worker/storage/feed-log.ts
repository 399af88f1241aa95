import { LIMITS } from '../../shared/limits.ts';

/** Which entries of a log are kept, and what each counts for: known without reading them, since they may be large. */
export interface FeedLog {
  /** The number of the oldest; where there is none, of the next. */
  readonly first: number;
  /** Bytes of each, the oldest first. */
  readonly sizes: readonly number[];
  /** Those that go, and when: pages that may still want them are given until then to come back. */
  readonly leaving?: Leaving;
}

export interface Leaving {
  /** The number of the last of them. */
  readonly upTo: number;
  /** Milliseconds of the epoch. */
  readonly at: number;
}

export const EMPTY: FeedLog = { first: 1, sizes: [] };

/**
 * With one entry more, and without the oldest ones as far as that is beyond the bounds of a log (invariant 7). Nothing
 * stays that the new one does not follow: a reader sees from the first number that it has missed some.
 */
export function extended(log: FeedLog, n: number, size: number): FeedLog {
  const follows = n === log.first + log.sizes.length;
  return bounded(follows ? { ...log, sizes: [...log.sizes, size] } : { first: n, sizes: [size] });
}

/**
 * Without the entries up to and including `upTo`, which no page wants that is there; where others have until `at` to come
 * back, they go with the first removal from then on. What an earlier life of the worker was waiting with goes when that
 * wait is over, however often workers have ended since: whoever was there then has come back, or is too late.
 */
export function pruned(log: FeedLog, upTo: number, at: number, now: number): FeedLog {
  if (at <= now) return removed(log, upTo);
  const before = log.leaving;
  // No life waits for longer than the one after it: a later time is that of a clock that was set back.
  const leaving = { upTo: Math.min(upTo, before?.upTo ?? upTo), at: Math.min(at, before?.at ?? at) };
  return leaving.at <= now ? pruned(removed(log, leaving.upTo), upTo, at, now) : { ...log, leaving };
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

function without({ first, sizes, ...rest }: FeedLog, dropped: number): FeedLog {
  return { ...rest, first: first + dropped, sizes: sizes.slice(dropped) };
}

/** Whatever was to go by then has gone, or is wanted again. */
function removed({ first, sizes }: FeedLog, upTo: number): FeedLog {
  return without({ first, sizes }, Math.min(Math.max(upTo - first + 1, 0), sizes.length));
}
